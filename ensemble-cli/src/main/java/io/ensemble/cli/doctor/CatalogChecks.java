package io.ensemble.cli.doctor;

import io.ensemble.cache.BlockingCall;
import io.ensemble.catalog.CatalogAddress;
import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.definition.Inventory;
import io.ensemble.catalog.definition.RecordDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.catalog.task.TaskEntry;
import io.ensemble.check.doctor.CatalogFindings;
import io.ensemble.check.doctor.ClockFindings;
import io.ensemble.check.doctor.ClockReading;
import io.ensemble.check.doctor.Finding;
import io.ensemble.check.doctor.OwnerFindings;
import io.ensemble.check.doctor.RedundancyFindings;
import io.ensemble.check.doctor.StoreFindings;
import io.ensemble.check.process.CommandException;
import io.ensemble.placement.ReplicaName;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Site;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the catalog says, and whether the sites agree with it. Only reads. */
final class CatalogChecks implements AutoCloseable {

  private static final Duration LONGEST = Duration.ofSeconds(15);

  /** A site that lists its stores does so in milliseconds. */
  private static final Duration LONGEST_LIST = Duration.ofSeconds(8);

  /** An owner writes its heartbeat about every second. */
  private static final Duration WATCH = Duration.ofSeconds(6);

  /** By how much a heartbeat may be older than its record: the write to the catalog takes time. */
  private static final Duration HEARTBEAT_UNIT = Duration.ofSeconds(3);

  private final String address;
  private final RecordDefinitions catalog;

  /** The content of the catalog. */
  record Content(Inventory inventory, List<SiteEntry> sites) {

    /** Whether there is no record, not even one that cannot be read. */
    boolean isEmpty() {
      return sites.isEmpty()
          && inventory.caches().isEmpty()
          && inventory.distributed().isEmpty()
          && inventory.unreadable().isEmpty();
    }
  }

  private CatalogChecks(String address, RecordDefinitions catalog) {
    this.address = address;
    this.catalog = catalog;
  }

  /**
   * Opens an existing catalog.
   *
   * @throws CommandException if there is none
   */
  static CatalogChecks open(String address) {
    if (CatalogAddress.isMissing(address)) {
      throw new CommandException("there is no catalog at '%s'".formatted(address));
    }
    return new CatalogChecks(address, CatalogAddress.open(address));
  }

  Content content() {
    return content(catalog, address);
  }

  /**
   * Reads the records. The id is read last, and only if there are records: reading it would create
   * a catalog in ZooKeeper where there is none.
   */
  static Content content(Definitions catalog, String address) {
    Content content =
        new Content(await(catalog.inventory(), address), await(catalog.sites().all(), address));
    if (!content.isEmpty()) {
      await(catalog.id(), address);
    }
    return content;
  }

  /** Whether the address names no catalog; an empty directory was found to be one when opened. */
  boolean isMissing(Content content) {
    return content.isEmpty() && CatalogAddress.isRemote(address);
  }

  List<Finding> records(Content content) {
    Inventory inventory = content.inventory();
    return CatalogFindings.of(
        address,
        content.sites().size(),
        inventory.caches().size() + inventory.distributed().size(),
        inventory.unreadable());
  }

  /** Distributed caches with parts that do not exist. */
  static List<Finding> parts(Inventory inventory) {
    Set<String> names = new HashSet<>();
    inventory.caches().forEach(cache -> names.add(cache.definition().name()));
    inventory.distributed().forEach(cache -> names.add(cache.definition().name()));
    names.addAll(inventory.unreadable().keySet());
    List<Finding> findings = new ArrayList<>();
    inventory
        .distributed()
        .forEach(
            cache ->
                cache.definition().parts().stream()
                    .filter(part -> !names.contains(part))
                    .forEach(
                        part ->
                            findings.add(
                                RedundancyFindings.missingPart(cache.definition().name(), part))));
    return findings;
  }

  /**
   * Compares the stores of a site with the definitions. The definitions are read afterwards: a
   * store whose cache is being created would seem to have no cache otherwise.
   */
  List<Finding> stores(SiteConfiguration site) {
    Set<String> stores;
    try (ThreadScheduler scheduler = new ThreadScheduler();
        Site connected = HotRod.connect(site, scheduler)) {
      Deadline deadline = Deadline.after(LONGEST_LIST, scheduler);
      stores =
          BlockingCall.result(
              () -> connected.stores(deadline), LONGEST_LIST.multipliedBy(2), scheduler);
    }
    Inventory inventory = await(catalog.inventory());
    Set<String> named = new TreeSet<>();
    Set<String> must = new TreeSet<>();
    inventory
        .caches()
        .forEach(
            cache -> {
              must.addAll(cache.served().storesAt(site.name()));
              named.addAll(namedAt(site.name(), cache));
            });
    return StoreFindings.of(
        site.name(), await(catalog.id()), stores, must, named, inventory.unreadable().keySet());
  }

  /** The stores of a cache at a site, those of its change among them. */
  private static Set<String> namedAt(String site, StoredDefinition cache) {
    Set<String> named = new TreeSet<>(cache.storesAt(site));
    named.addAll(cache.served().storesAt(site));
    Stream.of(
            cache.newStores().stream(),
            cache.abandoned().stream(),
            cache.change().stream().flatMap(change -> change.remains().stream()))
        .flatMap(one -> one)
        .filter(store -> ReplicaName.siteOf(store.site()).equals(site))
        .forEach(store -> named.add(store.store()));
    return named;
  }

  /** Whether the processes that maintain sites are alive, and their clocks. */
  List<Finding> owners(List<String> sites) {
    Map<String, TaskEntry> before = await(catalog.tasks().ofSites(sites));
    long[] asked = {System.currentTimeMillis()};
    Map<String, ClockReading> clocks = new TreeMap<>();
    BoundedChecks.watch(
        () -> {
          long last = asked[0];
          Map<String, TaskEntry> now = await(catalog.tasks().ofSites(before.keySet()));
          long answered = System.currentTimeMillis();
          asked[0] = answered;
          now.forEach(
              (site, task) -> {
                TaskEntry earlier = before.get(site);
                if (earlier != null
                    && earlier.revision() != task.revision()
                    && !clocks.containsKey(site)) {
                  clocks.put(site, reading(site, task, last, answered));
                }
              });
          return clocks.size() == before.size();
        },
        WATCH);
    List<Finding> findings = new ArrayList<>();
    for (String site : sites) {
      TaskEntry task = before.get(site);
      findings.add(
          OwnerFindings.ofSite(site, task == null ? null : clocks.containsKey(site), doing(task)));
    }
    clocks.values().forEach(clock -> findings.add(ClockFindings.ofProcess(clock)));
    return findings;
  }

  private static String doing(@Nullable TaskEntry task) {
    return task == null ? "" : task.notes().getOrDefault("doing", "idle");
  }

  private static ClockReading reading(String site, TaskEntry task, long asked, long answered) {
    long at = Long.parseLong(task.notes().getOrDefault("at", "0")) * 1000;
    return ClockReading.of("process that maintains " + site, at, HEARTBEAT_UNIT, asked, answered);
  }

  private <T> T await(CompletionStage<T> stage) {
    return await(stage, address);
  }

  private static <T> T await(CompletionStage<T> stage, String address) {
    try {
      return stage.toCompletableFuture().get(LONGEST.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CatalogException why) {
        throw why;
      }
      throw new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw new CommandException("the catalog does not answer; catalog=" + address, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("interrupted", e);
    }
  }

  @Override
  public void close() {
    catalog.close();
  }
}
