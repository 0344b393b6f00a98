#if !__has_include(<gimbal/gimbal.h>)
#error "gimbal's headers were not installed with the library above them"
#endif

int main() {}
