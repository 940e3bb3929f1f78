package io.ensemble.zoofence.flattening;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * A rule that gives the holders of a path and of everything below, from the holders of the parent.
 */
public sealed interface FlatteningRule {
  /**
   * The holders of a path.
   *
   * @param path the path, at {@code depth} components below the path that has this rule
   * @param depth 0 for the path that has the rule itself
   * @param parent the holders of the path's parent
   */
  InstanceSet holders(String path, int depth, InstanceSet parent);

  /** These instances hold the path and everything below. */
  record Held(InstanceSet by) implements FlatteningRule {
    public Held {
      if (by.isEmpty()) {
        throw new IllegalArgumentException("a path must be held by at least one instance");
      }
    }

    @Override
    public InstanceSet holders(String path, int depth, InstanceSet parent) {
      return depth == 0 ? by : parent;
    }

    @Override
    public String toString() {
      return by.toString();
    }
  }

  /** One of the holders, chosen by a hash of the first components below the path. */
  record Hashed(int components) implements FlatteningRule {
    public Hashed {
      if (components < 1) {
        throw new IllegalArgumentException("hash requires at least 1 component; got " + components);
      }
    }

    @Override
    public InstanceSet holders(String path, int depth, InstanceSet parent) {
      if (depth != components) {
        return parent;
      }
      var members = parent.numbers();
      return InstanceSet.of(members.get((int) (hash(path) % members.size())));
    }

    @Override
    public String toString() {
      return "hash " + components;
    }
  }

  /**
   * Every {@code kappa} levels down, the number of holders shrinks by {@code lambda}, to one at
   * least (the flattening parameters of the paper's appendix C).
   */
  record Levels(int kappa, int lambda) implements FlatteningRule {
    public Levels {
      if (kappa < 1 || lambda < 1) {
        throw new IllegalArgumentException(
            "levels requires a kappa and a lambda of at least 1; got " + kappa + " and " + lambda);
      }
    }

    @Override
    public InstanceSet holders(String path, int depth, InstanceSet parent) {
      if (depth == 0 || depth % kappa != 0) {
        return parent;
      }
      InstanceSet left = parent;
      for (int removed = 0; removed < lambda && left.size() > 1; removed++) {
        var members = left.numbers();
        left = left.without(InstanceSet.of(members.get((int) (hash(path) % members.size()))));
      }
      return left;
    }

    @Override
    public String toString() {
      return "levels " + kappa + " " + lambda;
    }
  }

  private static long hash(String path) {
    var checksum = new CRC32C();
    checksum.update(path.getBytes(StandardCharsets.UTF_8));
    return checksum.getValue();
  }
}
