@T.prim_func
def groups(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (4, 128), "float32")
    B = T.match_buffer(B_ptr, (4, 128), "float32")
    T.device_entry(); T.cta_id([1]); tid = T.thread_id([128])
    tile = T.alloc_buffer((4, 128), "float32", scope="shared")
    Tx.cta.copy_async(tile[0, 0:128], A[0, 0:128])
    T.ptx.cp_async.commit_group()
    Tx.cta.copy_async(tile[1, 0:128], A[1, 0:128])
    Tx.cta.copy_async(tile[2, 0:128], A[2, 0:128])
    T.ptx.cp_async.commit_group()
    Tx.cta.copy_async(tile[3, 0:128], A[3, 0:128])
    T.ptx.cp_async.commit_group()
    T.ptx.cp_async.wait_group(2)
    B[0, tid] = tile[0, tid]
    T.ptx.cp_async.wait_group(1)
    B[1, tid] = tile[1, tid]
    B[2, tid] = tile[2, tid]
    T.ptx.cp_async.wait_group(0)
    B[3, tid] = tile[3, tid]
