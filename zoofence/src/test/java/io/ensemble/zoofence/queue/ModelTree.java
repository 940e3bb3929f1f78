package io.ensemble.zoofence.queue;

import io.ensemble.zoofence.flattening.ZnodePaths;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** A small tree of znodes, in which the order of commands matters. */
final class ModelTree {
  enum Kind {
    CREATE,
    DELETE,
    SET,
    NUMBERED
  }

  /**
   * A command.
   *
   * @param path the path; the parent's for a sequential creation
   * @param version the expected version; -1 for any
   */
  record Act(Kind kind, String path, int version) {
    static Act random(Random random) {
      String path = "/" + (char) ('a' + random.nextInt(2)) + (random.nextBoolean() ? "/x" : "");
      Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
      return new Act(kind, path, random.nextInt(4) - 1);
    }
  }

  private final Map<String, Integer> versions = new TreeMap<>();
  private final Map<String, Integer> made = new HashMap<>();

  ModelTree() {
    versions.put("/", 0);
  }

  ModelTree copy() {
    var copy = new ModelTree();
    copy.versions.clear();
    copy.versions.putAll(versions);
    copy.made.putAll(made);
    return copy;
  }

  /** The path of the command's znode if the command is executed now. */
  String name(Act act) {
    return act.kind() == Kind.NUMBERED
        ? ZnodePaths.child(act.path(), "n" + made.getOrDefault(act.path(), 0))
        : act.path();
  }

  /** Executes a command; returns whether it took effect. */
  boolean take(Act act, String name) {
    return switch (act.kind()) {
      case CREATE, NUMBERED -> create(name);
      case DELETE -> delete(name, act.version());
      case SET -> set(name, act.version());
    };
  }

  private boolean create(String path) {
    String parent = ZnodePaths.parent(path);
    if (!versions.containsKey(parent) || versions.containsKey(path)) {
      return false;
    }
    versions.put(path, 0);
    made.merge(parent, 1, Integer::sum);
    return true;
  }

  private boolean delete(String path, int version) {
    boolean leaf = versions.keySet().stream().noneMatch(one -> ZnodePaths.parent(one).equals(path));
    if (!leaf || !fits(path, version)) {
      return false;
    }
    versions.remove(path);
    made.remove(path);
    return true;
  }

  private boolean set(String path, int version) {
    return fits(path, version) && versions.merge(path, 1, Integer::sum) > 0;
  }

  private boolean fits(String path, int version) {
    return versions.containsKey(path) && (version < 0 || versions.get(path) == version);
  }

  @Override
  public String toString() {
    return versions + " " + new TreeMap<>(made);
  }
}
