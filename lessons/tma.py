# A tile there and back through tensor maps, under the 128-byte swizzle.
@T.prim_func
def tma_tile(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (128, 128), "float16")
    B = T.match_buffer(B_ptr, (128, 128), "float16")
    T.device_entry()
    cta_id = T.cta_id([4])
    tid = T.thread_id([128])
    A_smem = T.alloc_buffer((64, 64), "float16", scope="shared", align=1024,
                            layout=ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[(64, 64) : (64, 1)])))
    mbar = T.alloc_buffer((1,), "uint64", scope="shared")
    y = cta_id // 2 * 64
    x = cta_id % 2 * 64
    if tid == 0:
        T.ptx.mbarrier.init(mbar.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
    T.cuda.cta_sync()
    if tid == 0:
        Tx.copy_async(A_smem[0:64, 0:64], A[y : y + 64, x : x + 64], dispatch="tma", cta_group=1, mbar=mbar.ptr_to([0]))
        T.ptx.mbarrier.arrive.expect_tx(mbar.ptr_to([0]), 8192)
    T.ptx.mbarrier.try_wait(mbar.ptr_to([0]), 0)
    if tid == 0:
        Tx.copy_async(B[y : y + 64, x : x + 64], A_smem[0:64, 0:64], dispatch="tma")
        T.ptx.cp_async.bulk.commit_group()
        T.ptx.cp_async.bulk.wait_group(0)
