package io.ensemble.zoofence.flattening;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The mapping from paths to the instances that hold them. All instances hold the root. A rule at a
 * path applies to this path and below, up to the next rule. Immutable; thread-safe.
 */
public final class Flattening {
  private static final int REMEMBERED = 4096;

  private final InstanceSet all;
  private final Map<String, FlatteningRule> rules;
  private final Map<String, InstanceSet> remembered = new ConcurrentHashMap<>();

  /**
   * @param instances the number of instances
   * @param rules a rule for each path that has one
   * @throws FlatteningException if an instance would hold a path but not its parent, or if not all
   *     instances hold the root
   */
  public Flattening(int instances, Map<String, FlatteningRule> rules) {
    this.all = InstanceSet.first(instances);
    this.rules = Map.copyOf(rules);
    check();
  }

  /** A flattening that keeps every path at all instances. */
  public static Flattening replicated(int instances) {
    return new Flattening(instances, Map.of());
  }

  public InstanceSet all() {
    return all;
  }

  public Map<String, FlatteningRule> rules() {
    return rules;
  }

  /** The instances that hold a path; all of them hold its parent, too. */
  public InstanceSet holders(String path) {
    InstanceSet known = remembered.get(path);
    if (known == null) {
      known = walk(path);
      // A cache: when it is full, it is cleared.
      if (remembered.size() >= REMEMBERED) {
        remembered.clear();
      }
      remembered.put(path, known);
    }
    return known;
  }

  /** The holders of a path's parent. A creation or a removal of the path concerns all of them. */
  public InstanceSet holdersOfParent(String path) {
    return holders(ZnodePaths.parent(path));
  }

  private InstanceSet walk(String path) {
    InstanceSet holders = all;
    FlatteningRule rule = rules.get("/");
    int depth = 0;
    for (int end = ZnodePaths.end(path, 0); end > 0; end = ZnodePaths.end(path, end)) {
      String here = path.substring(0, end);
      depth++;
      FlatteningRule own = rules.get(here);
      if (own != null) {
        rule = own;
        depth = 0;
      }
      if (rule != null) {
        holders = rule.holders(here, depth, holders);
      }
    }
    return holders;
  }

  private void check() {
    var offending = new TreeMap<String, String>();
    rules.forEach(
        (path, rule) -> {
          if (!(rule instanceof FlatteningRule.Held held)) {
            return;
          }
          InstanceSet wanted = path.equals("/") ? all : holdersOfParent(path);
          if (path.equals("/") && !held.by().equals(all)) {
            offending.put(path, "the root must be held by all of " + all + ", not by " + held.by());
          } else if (!wanted.containsAll(held.by())) {
            offending.put(path, "held by " + held.by() + ", but its parent only by " + wanted);
          }
        });
    if (!offending.isEmpty()) {
      throw new FlatteningException(offending);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Flattening that && all.equals(that.all) && rules.equals(that.rules);
  }

  @Override
  public int hashCode() {
    return 31 * all.hashCode() + rules.hashCode();
  }

  @Override
  public String toString() {
    return FlatteningText.write(this);
  }
}
