// Breadth-first search by levels, a thread a node.
#include "course.h"
#include <utility>

__global__ void level(const int *begin, const int *to, const char *front,
                      char *next, int *seen, int *depth, int now, int *more,
                      int n) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || !front[v]) {
        return;
    }
    for (int k = begin[v]; k < begin[v + 1]; k++) {
        if (atomicExch(&seen[to[k]], 1) == 0) {
            depth[to[k]] = now + 1;
            next[to[k]] = 1;
            atomicOr(more, 1);
        }
    }
}

int main() {
    const int n = 1 << 18, degree = 8;
    std::vector<int> begin(n + 1), to(n * degree), depth(n, -1), zero(1, 0);
    for (int i = 0; i <= n; i++) {
        begin[i] = i * degree;
    }
    for (int i = 0; i < n * degree; i++) {
        const unsigned h = i * 2654435761u;
        to[i] = static_cast<int>((i / degree + (h >> 12) % 65536) % n);
    }
    depth[0] = 0;
    std::vector<int> seen(n, 0);
    std::vector<char> front(n, 0);
    seen[0] = front[0] = 1;
    int *db = device(begin), *dt = device(to), *dd = device(depth);
    int *dc = device(zero), *ds = device(seen);
    char *df = device(front), *dn = device(front);
    for (int now = 0, more = 1; more; now++) {
        cudaMemset(dc, 0, sizeof(int));
        cudaMemset(dn, 0, n);
        level<<<n / 256, 256>>>(db, dt, df, dn, ds, dd, now, dc, n);
        more = host(dc, 1)[0];
        std::swap(df, dn);
    }
    scalar("bfs", [&] {
        std::vector<int> queue(1, 0);
        for (size_t i = 0; i < queue.size(); i++) {
            const int v = queue[i];
            for (int k = begin[v]; k < begin[v + 1]; k++) {
                if (depth[to[k]] == -1) {
                    depth[to[k]] = depth[v] + 1;
                    queue.push_back(to[k]);
                }
            }
        }
    });
    return differs("bfs", host(dd, n), depth);
}
