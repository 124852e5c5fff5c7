/* malloc and free in kernels, a list that outlives its kernel, printf with all
 * sorts of arguments, an assert that holds. */
#include <cassert>
#include <cstdio>
#include <cstring>

struct node {
    int value;
    node *next;
};
__device__ node *head;

__global__ void push(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        node *mine = (node *)malloc(sizeof(node));
        assert(mine != nullptr);
        mine->value = i;
        node *seen = head;
        do {
            mine->next = seen;
            seen = (node *)atomicCAS((unsigned long long *)&head,
                                     (unsigned long long)mine->next,
                                     (unsigned long long)mine);
        } while (seen != mine->next);
    }
}

__global__ void total(int *sum, int *count) {
    node *p = head;
    while (p != nullptr) {
        *sum += p->value;
        ++*count;
        node *next = p->next;
        free(p);
        p = next;
    }
    head = nullptr;
    printf("%d nodes: %s %5.2f %-4d| %c %llx %%\n", *count, "sum", *sum / 4.0,
           *sum, 'x', 0xfedcba9876543210ull);
}

__global__ void scratch(int *out) {
    int n = threadIdx.x + 1;
    int *own = new int[n];
    memset(own, 0, n * sizeof(int));
    for (int i = 0; i < n; i++) {
        own[i] += i;
    }
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += own[i];
    }
    delete[] own;
    out[threadIdx.x] = sum;
}

int main() {
    const int n = 200;
    int *d, r[66];
    cudaMalloc(&d, sizeof r);
    cudaMemset(d, 0, sizeof r);
    push<<<4, 64>>>(n);
    total<<<1, 1>>>(d, d + 1);
    scratch<<<1, 64>>>(d + 2);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        return 2;
    }
    cudaMemcpy(r, d, sizeof r, cudaMemcpyDeviceToHost);
    int wrong = r[0] != n * (n - 1) / 2 || r[1] != n;
    for (int i = 0; i < 64; i++) {
        wrong += r[2 + i] != i * (i + 1) / 2;
    }
    cudaFree(d);
    return wrong;
}
