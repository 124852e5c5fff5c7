/* Managed memory: structures with pointers in it, a managed variable, advice
 * and prefetch, host and device in turns. */
#include <cstdio>
#include <cstring>

struct text {
    char *s;
    int n;
    void *operator new(size_t n) {
        void *p;
        cudaMallocManaged(&p, n);
        cudaDeviceSynchronize();
        return p;
    }
    void operator delete(void *p) {
        cudaDeviceSynchronize();
        cudaFree(p);
    }
};

__managed__ int turns = 0;
__managed__ float table[16];

__global__ void upper(text *t) {
    int i = threadIdx.x;
    if (i < t->n && t->s[i] >= 'a' && t->s[i] <= 'z') {
        t->s[i] -= 32;
    }
    if (i == 0) {
        turns++;
    }
    if (i < 16) {
        table[i] += i;
    }
}

int main() {
    const char *words = "every good boy deserves fudge";
    text *t = new text;
    t->n = (int)strlen(words);
    cudaMallocManaged(&t->s, t->n + 1);
    strcpy(t->s, words);
    int device;
    cudaGetDevice(&device);
    cudaMemLocation where = {};
    where.type = cudaMemLocationTypeDevice;
    where.id = device;
    cudaMemAdvise(t->s, t->n, cudaMemAdviseSetPreferredLocation, where);
    cudaMemPrefetchAsync(t->s, t->n, where, 0, 0);
    for (int k = 0; k < 3; k++) {
        upper<<<1, 64>>>(t);
        cudaDeviceSynchronize();
        t->s[k] = 'x';
        table[0] += 1;
    }
    int wrong = strcmp(t->s, "xxxRY GOOD BOY DESERVES FUDGE") != 0;
    wrong += t->s[0] != 'X' && t->s[0] != 'x';
    wrong = strcmp(t->s + 3, "RY GOOD BOY DESERVES FUDGE") != 0 || turns != 3 ||
            table[0] != 3 || table[15] != 45;
    printf("%s %d\n", t->s, turns);
    cudaFree(t->s);
    delete t;
    return wrong;
}
