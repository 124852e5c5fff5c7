from tvm.tirx.layout import S, TCol, TileLayout, TLane
from tvm.tirx.layout import tid_in_wg as axis_tid_in_wg

WIDTH = 8  # 4 registers of 32 bits hold 8 float16
local_view = TileLayout(S[(128, WIDTH) : (1 @ axis_tid_in_wg, 1)])

@T.prim_func
def copy_async_test(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (128, WIDTH), "float16"); B = T.match_buffer(B_ptr, (128, WIDTH), "float16")
    T.device_entry(); T.cta_id([1])
    warp_id = T.warp_id([4]); wg_id = T.warpgroup_id([1]); tid = T.thread_id([128])
    tmem_addr = T.alloc_shared([1], "uint32")
    if wg_id == 0:
        if warp_id == 0:
            T.ptx.tcgen05.alloc(T.address_of(tmem_addr), n_cols=32, cta_group=1)
        T.tvm_storage_sync("shared")
        tmem = T.decl_buffer((128, WIDTH), "float16", scope="tmem", allocated_addr=tmem_addr[0],
                             layout=TileLayout(S[(128, WIDTH) : (1 @ TLane, 1 @ TCol)]))
        A_reg = T.alloc_local((WIDTH,), "float16"); B_reg = T.alloc_local((WIDTH,), "float16")
        A_local = A_reg.view(128, WIDTH, layout=local_view)
        B_local = B_reg.view(128, WIDTH, layout=local_view)
        for i in range(WIDTH):
            A_reg[i] = A[tid, i]
            B_reg[i] = T.float16(0)
        T.cuda.cta_sync()
        Tx.wg.copy_async(tmem[:, :], A_local[:, :])   # registers -> tensor memory
        T.ptx.tcgen05.wait.st()                       # caller waits for the store
        T.cuda.cta_sync()
        Tx.wg.copy_async(B_local[:, :], tmem[:, :])   # tensor memory -> registers
        T.ptx.tcgen05.wait.ld()                       # caller waits for the load
        T.cuda.cta_sync()
        for i in range(WIDTH):
            B[tid, i] = B_reg[i]
        if warp_id == 0:
            T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)
            T.ptx.tcgen05.dealloc(tmem_addr[0], n_cols=32, cta_group=1)
