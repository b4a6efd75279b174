// Parallel algorithms against the same ones without a policy.
#include <bits/stdc++.h>
#include <execution>
using namespace std;

static bool ok = true;
static void expect(const char *what, bool holds) {
  if (!holds) cout << what << " differs" << endl;
  ok = ok && holds;
}

template <class POLICY> void with(const POLICY &policy) {
  static_assert(is_execution_policy_v<POLICY> && is_execution_policy<POLICY>::value, "a policy");
  vector<int> a(1000), b(1000), c(1000), d(1000);
  for (int i = 0; i < 1000; i++) a[i] = i * 7919 % 1009;
  b = a;
  sort(policy, a.begin(), a.end(), [](int x, int y) { return x > y; });
  sort(b.begin(), b.end(), greater<int>());
  expect("sort", a == b);
  for_each(policy, a.begin(), a.end(), [](int &x) { x *= 2; });
  transform(b.begin(), b.end(), b.begin(), [](int x) { return 2 * x; });
  expect("for_each", a == b);
  transform(policy, a.begin(), a.end(), b.begin(), c.begin(), plus<>());
  transform(a.begin(), a.end(), b.begin(), d.begin(), plus<>());
  expect("transform", c == d);
  expect("reduce", reduce(policy, a.begin(), a.end(), 5LL) == accumulate(a.begin(), a.end(), 5LL));
  expect("reduce without a value", reduce(policy, a.begin(), a.end()) == accumulate(a.begin(), a.end(), 0));
  expect("transform_reduce", transform_reduce(policy, a.begin(), a.end(), b.begin(), 0LL) ==
                                 inner_product(a.begin(), a.end(), b.begin(), 0LL));
  inclusive_scan(policy, a.begin(), a.end(), c.begin());
  partial_sum(a.begin(), a.end(), d.begin());
  expect("inclusive_scan", c == d);
  exclusive_scan(policy, a.begin(), a.end(), c.begin(), 3);
  expect("exclusive_scan", c[0] == 3 && c[999] == d[998] + 3);
  expect("count_if", count_if(policy, a.begin(), a.end(), [](int x) { return x % 4 == 0; }) ==
                         count_if(a.begin(), a.end(), [](int x) { return x % 4 == 0; }));
  expect("max_element", max_element(policy, a.begin(), a.end()) == max_element(a.begin(), a.end()));
  a.erase(remove_if(policy, a.begin(), a.end(), [](int x) { return x < 100; }), a.end());
  expect("remove_if", none_of(policy, a.begin(), a.end(), [](int x) { return x < 100; }));
  fill(policy, a.begin(), a.end(), 3);
  expect("fill, unique", unique(policy, a.begin(), a.end()) == a.begin() + 1);
}

int main() {
  with(execution::seq);
  with(execution::par);
  with(execution::par_unseq);
  if (ok) cout << "PASSED" << endl;
}
