#include <a>
#define M(x) x
namespace k { template <typename T> class A : public B { public: A() = default; virtual ~A(); T f(int x) const { return x; } }; }
int main(int argc, char** argv) { auto l = [&](auto x) { return x; }; }
// comment
extern "C" { struct S { int a; }; }
