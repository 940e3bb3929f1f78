package io.ensemble.catalog;

import io.ensemble.catalog.record.CatalogRecords.Kind;
import io.ensemble.catalog.record.FileNames;
import io.ensemble.catalog.task.TaskEntry;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The flattening of a catalog over several ZooKeepers, as ZooFence reads it. Each line is a rule: a
 * path, and the ensembles that hold the path and its descendants.
 *
 * <p>Each site's task, which its owner writes every two seconds, is at the site's own ensemble. All
 * other nodes are at an ensemble that the sites share. A site's entry and a cache's record are
 * needed most by other sites, and while the site is away.
 */
public final class CatalogFlattening {

  private CatalogFlattening() {}

  /**
   * The rules of one catalog.
   *
   * @param path of the catalog in ZooKeeper, such as {@value
   *     io.ensemble.catalog.definition.ZooKeeperDefinitions#DEFAULT_PATH}
   * @param shared the ensemble that the sites share
   * @param sites the ensemble of each site; tasks of other sites are at all ensembles that are
   *     named here
   * @throws IllegalArgumentException if {@code path} is not a path
   */
  public static String rules(String path, String shared, Map<String, String> sites) {
    if (!path.matches("(/[^/\\s#,=]+)+")) {
      throw new IllegalArgumentException(
          "catalog path must be /NAME without spaces, '#', ',' and '='; got '%s'".formatted(path));
    }
    Set<String> all = new LinkedHashSet<>();
    all.add(shared);
    all.addAll(new TreeMap<>(sites).values());
    String everybody = String.join(",", all);
    StringBuilder rules = new StringBuilder();
    rule(rules, path, everybody);
    rule(rules, path + "/id", shared);
    for (Kind kind : Kind.values()) {
      rule(rules, path + "/" + kind.word(), kind == Kind.TASK ? everybody : shared);
    }
    String tasks = path + "/" + Kind.TASK.word() + "/";
    new TreeMap<>(sites)
        .forEach((site, own) -> rule(rules, tasks + FileNames.of(TaskEntry.ofSite(site)), own));
    return rules.toString();
  }

  private static void rule(StringBuilder rules, String path, String holders) {
    rules.append(path).append(' ').append(holders).append('\n');
  }
}
