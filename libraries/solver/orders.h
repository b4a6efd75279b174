// Orders of the rows and columns of sparse matrices that leave little fill: reverse Cuthill-McKee (George and Liu,
// Computer Solution of Large Sparse Positive Definite Systems, 1981), minimum degree on quotient graphs with exact or
// approximate degrees (Amestoy, Davis, Duff, 1996), nested dissection by levels of a breadth-first search.
#pragma once
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace heddle_orders {

typedef std::vector<int> List;
typedef std::vector<List> Graph;

/// The pattern of A + A^T without its diagonal.
inline Graph graph_of(int n, const int *starts, const int *columns, int base) {
  Graph graph(n);
  for (int i = 0; i < n; i++)
    for (int at = starts[i] - base; at < starts[i + 1] - base; at++) {
      int j = columns[at] - base;
      if (i == j) continue;
      graph[i].push_back(j);
      graph[j].push_back(i);
    }
  for (List &list : graph) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return graph;
}
inline Graph subgraph(const Graph &graph, const List &nodes) {
  List place(graph.size(), -1);
  for (size_t i = 0; i < nodes.size(); i++) place[nodes[i]] = (int)i;
  Graph sub(nodes.size());
  for (size_t i = 0; i < nodes.size(); i++)
    for (int j : graph[nodes[i]]) if (place[j] >= 0) sub[i].push_back(place[j]);
  return sub;
}

/// Levels of a breadth-first search over nodes that are not `done`, neighbours by their degrees.
inline std::vector<List> levels(const Graph &graph, int start, std::vector<char> &done) {
  std::vector<List> found{{start}};
  done[start] = 1;
  for (;;) {
    List next;
    for (int i : found.back()) {
      List near;
      for (int j : graph[i])
        if (!done[j]) {
          done[j] = 1;
          near.push_back(j);
        }
      std::sort(near.begin(), near.end(), [&](int a, int b) {
        return graph[a].size() != graph[b].size() ? graph[a].size() < graph[b].size() : a < b;
      });
      next.insert(next.end(), near.begin(), near.end());
    }
    if (next.empty()) return found;
    found.push_back(next);
  }
}
/// The levels from a node at the far end of `start`'s component (George and Liu).
inline std::vector<List> deep_levels(const Graph &graph, int start, std::vector<char> &done) {
  std::vector<char> before = done;
  std::vector<List> best = levels(graph, start, done);
  for (;;) {
    int end = *std::min_element(best.back().begin(), best.back().end(),
                                [&](int a, int b) { return graph[a].size() < graph[b].size(); });
    std::vector<char> again = before;
    std::vector<List> other = levels(graph, end, again);
    if (other.size() <= best.size()) return best;
    best = other;
  }
}
inline List reverse_cuthill_mckee(const Graph &graph) {
  int n = (int)graph.size();
  List order, byDegree(n);
  for (int i = 0; i < n; i++) byDegree[i] = i;
  std::stable_sort(byDegree.begin(), byDegree.end(), [&](int a, int b) { return graph[a].size() < graph[b].size(); });
  std::vector<char> done(n, 0);
  for (int start : byDegree)
    if (!done[start])
      for (const List &level : deep_levels(graph, start, done)) order.insert(order.end(), level.begin(), level.end());
  std::reverse(order.begin(), order.end());
  return order;
}

/// Eliminates the node of least degree, again and again. What an eliminated node leaves is an element: its neighbours.
class MinimumDegree {
public:
  MinimumDegree(const Graph &graph, bool isApproximate)
      : n_((int)graph.size()), isApproximate_(isApproximate), nodes_(graph), elements_(n_), members_(n_), degrees_(n_),
        marks_(n_, 0), isGone_(n_, 0), outside_(n_, 0), outsideMarks_(n_, 0) {
    for (int i = 0; i < n_; i++) {
      degrees_[i] = (int)graph[i].size();
      queue_.insert({degrees_[i], i});
    }
  }
  List order() {
    List order;
    while (!queue_.empty()) {
      int node = queue_.begin()->second;
      queue_.erase(queue_.begin());
      order.push_back(node);
      eliminate(node);
    }
    return order;
  }

private:
  int n_;
  bool isApproximate_;
  Graph nodes_, elements_, members_;
  List degrees_, marks_;
  std::vector<char> isGone_;
  List outside_, outsideMarks_;
  std::set<std::pair<int, int>> queue_;
  int mark_ = 0;

  void eliminate(int node) {
    isGone_[node] = 1;
    mark_++;
    marks_[node] = mark_;
    List element;
    auto take = [&](int other) {
      if (isGone_[other] || marks_[other] == mark_) return;
      marks_[other] = mark_;
      element.push_back(other);
    };
    for (int other : nodes_[node]) take(other);
    for (int old : elements_[node]) {
      for (int other : members_[old]) take(other);
      members_[old].clear(); // absorbed
    }
    nodes_[node].clear();
    members_[node] = element;
    int inElement = mark_;
    for (int other : element) {
      List &near = nodes_[other], &in = elements_[other];
      near.erase(std::remove_if(near.begin(), near.end(), [&](int i) { return isGone_[i] || marks_[i] == inElement; }),
                 near.end());
      in.erase(std::remove_if(in.begin(), in.end(), [&](int e) { return members_[e].empty(); }), in.end());
      if (isApproximate_)
        for (int e : in) { // how many members of e are outside of the new element
          if (outsideMarks_[e] != inElement) outside_[e] = (int)members_[e].size();
          outsideMarks_[e] = inElement;
          outside_[e]--;
        }
    }
    for (int other : element) {
      int degree = (int)(element.size() - 1 + nodes_[other].size());
      if (isApproximate_) {
        for (int e : elements_[other]) degree += std::max(0, outside_[e]);
        degree = std::min(degree, degrees_[other] + (int)element.size() - 1);
        degree = std::min(degree, n_ - 1);
      }
      elements_[other].push_back(node);
      if (!isApproximate_) degree = exact_degree(other);
      queue_.erase({degrees_[other], other});
      degrees_[other] = degree;
      queue_.insert({degree, other});
    }
  }
  int exact_degree(int node) {
    mark_++;
    marks_[node] = mark_;
    int count = 0;
    auto see = [&](int other) {
      if (isGone_[other] || marks_[other] == mark_) return;
      marks_[other] = mark_;
      count++;
    };
    for (int other : nodes_[node]) see(other);
    for (int e : elements_[node]) for (int other : members_[e]) see(other);
    return count;
  }
};
inline List minimum_degree(const Graph &graph, bool isApproximate) {
  return MinimumDegree(graph, isApproximate).order();
}

/// Both halves first, then what separates them: the level in the middle.
inline List nested_dissection(const Graph &graph) {
  int n = (int)graph.size();
  if (n <= 64) return minimum_degree(graph, true);
  List order;
  auto add = [&](const List &nodes, const List &within) { for (int i : within) order.push_back(nodes[i]); };
  std::vector<char> done(n, 0);
  std::vector<List> layers = deep_levels(graph, 0, done);
  size_t reached = 0;
  for (const List &layer : layers) reached += layer.size();
  if (reached < (size_t)n) { // the rest is another component
    List first, rest;
    for (int i = 0; i < n; i++) (done[i] ? first : rest).push_back(i);
    add(first, nested_dissection(subgraph(graph, first)));
    add(rest, nested_dissection(subgraph(graph, rest)));
    return order;
  }
  size_t middle = 0, before = 0;
  while (before + layers[middle].size() < (size_t)n / 2) before += layers[middle++].size();
  List low, high, &between = layers[middle];
  for (size_t i = 0; i < layers.size(); i++) {
    if (i == middle) continue;
    List &side = i < middle ? low : high;
    side.insert(side.end(), layers[i].begin(), layers[i].end());
  }
  if (std::min(low.size(), high.size()) < (size_t)n / 8) return minimum_degree(graph, true);
  add(low, nested_dissection(subgraph(graph, low)));
  add(high, nested_dissection(subgraph(graph, high)));
  order.insert(order.end(), between.begin(), between.end());
  return order;
}

} // namespace heddle_orders
