package io.ensemble.catalog;

import io.ensemble.catalog.record.CatalogRecords.Kind;
import io.ensemble.catalog.record.FileNames;
import io.ensemble.catalog.task.TaskEntry;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which of several ZooKeepers holds which nodes of a catalog, as ZooFence takes it: a line for each
 * rule, a path and the ensembles that hold it and what is below.
 *
 * <p>Each site's task, which its owner writes every two seconds, is at the site's own ensemble. All
 * else is at one that the sites share: a site's entry and a cache's record are wanted most by
 * others, and when the site is away.
 */
public final class CatalogFlattening {

  private CatalogFlattening() {}

  /**
   * The rules of one catalog.
   *
   * @param path of the catalog in ZooKeeper, such as {@value ZooKeeperDefinitions#DEFAULT_PATH}
   * @param shared the ensemble that the sites share
   * @param sites the ensemble of each site; tasks of other sites are at all that are named here
   * @throws IllegalArgumentException if the path is none
   */
  public static String rules(String path, String shared, Map<String, String> sites) {
    if (!path.matches("(/[^/\\s#,=]+)+")) {
      throw new IllegalArgumentException(
          "a catalog's path is /NAME, without spaces, '#', ',' and '='; came '%s'".formatted(path));
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
