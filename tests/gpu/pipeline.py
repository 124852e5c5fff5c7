@T.prim_func
def pipe(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (512, 32), "float16")
    B = T.match_buffer(B_ptr, (512, 32), "float16")
    T.device_entry(); T.cta_id([1]); T.warp_id([4]); T.lane_id([32]); tid = T.thread_id([128])
    A_smem = T.alloc_buffer((2, 128, 32), "float16", scope="shared")
    Tx.cta.copy_async(A_smem[0, 0:128, 0:32], A[0:128, 0:32])
    T.ptx.cp_async.commit_group()
    for i in range(4):
        if i < 3:
            Tx.cta.copy_async(A_smem[(i + 1) % 2, 0:128, 0:32], A[(i+1)*128:(i+2)*128, 0:32])
        T.ptx.cp_async.commit_group()
        T.ptx.cp_async.wait_group(1)
        T.cuda.cta_sync()
        for j in T.serial(32):
            B[i*128 + tid, j] = A_smem[i % 2, tid, j]
        T.cuda.cta_sync()
