# 4 elements of float32 a copy, 8 rounds.
@T.prim_func
def float32(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (128, 32), "float32")
    B = T.match_buffer(B_ptr, (128, 32), "float32")
    T.device_entry(); T.cta_id([1]); T.warp_id([4]); T.lane_id([32]); tid = T.thread_id([128])
    A_smem = T.alloc_buffer((128, 32), "float32", scope="shared")
    Tx.cta.copy_async(A_smem[0:128, 0:32], A[0:128, 0:32])
    T.ptx.cp_async.commit_group()
    T.ptx.cp_async.wait_group(0)
    T.cuda.cta_sync()
    for j in range(32):
        B[tid, j] = A_smem[tid, 31 - j]
