# Wrong: rows of 128 bytes without a swizzle: the reads conflict.
@T.prim_func
def tile(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (64, 64), "float16")
    B = T.match_buffer(B_ptr, (64, 64), "float16")
    T.device_entry(); T.cta_id([1]); tid = T.thread_id([64])
    A_smem = T.alloc_buffer((64, 64), "float16", scope="shared", align=1024,
                            layout=TileLayout(S[(64, 64) : (64, 1)]))
    mbar = T.alloc_buffer((1,), "uint64", scope="shared")
    if tid == 0:
        T.ptx.mbarrier.init(mbar.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
    T.cuda.cta_sync()
    if tid == 0:
        Tx.copy_async(A_smem[0:64, 0:64], A[0:64, 0:64], dispatch="tma", cta_group=1, mbar=mbar.ptr_to([0]))
        T.ptx.mbarrier.arrive.expect_tx(mbar.ptr_to([0]), 8192)
    T.ptx.mbarrier.try_wait(mbar.ptr_to([0]), 0)
    Tx.copy(B[tid, 0:64], A_smem[tid, 0:64])
