// finding: host-deref
int main() {
    int *p;
    cudaMalloc(&p, 4);
    *p = 1;
}
