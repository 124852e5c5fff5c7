# Wrong: never waits.
@T.prim_func
def tile(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (128, 32), "float16")
    B = T.match_buffer(B_ptr, (128, 32), "float16")
    T.device_entry(); T.cta_id([1]); T.warp_id([4]); T.lane_id([32]); tid = T.thread_id([128])
    A_smem = T.alloc_buffer((128, 32), "float16", scope="shared",
                            layout=TileLayout(S[(128, 32) : (32, 1)]))
    Tx.cta.copy_async(A_smem[0:128, 0:32], A[0:128, 0:32], dispatch="ldgsts")
    T.ptx.cp_async.commit_group()
    T.cuda.cta_sync()
    Tx.cta.copy(B[0:128, 0:32], A_smem[0:128, 0:32])
