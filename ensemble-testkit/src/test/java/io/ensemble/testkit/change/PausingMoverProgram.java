package io.ensemble.testkit.change;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ChangeAction;
import io.ensemble.change.ChangeRules;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.migrate.Mover;
import io.ensemble.migrate.MoverContext;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Site;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;

/**
 * A process that changes a cache and stops before one of its actions, to be killed there. It prints
 * {@code at ACTION} and never performs that action.
 */
final class PausingMoverProgram {

  private static final SecureRandom RANDOM = new SecureRandom();

  private PausingMoverProgram() {}

  /**
   * Starts the mover.
   *
   * @param arguments the directory of definitions, the cache, its new sites separated by commas,
   *     the index of the action before which it stops, and {@code SITE=HOST:PORT} for each site
   */
  public static void main(String[] arguments) throws Exception {
    FileDefinitions definitions = FileDefinitions.in(Path.of(arguments[0]));
    ThreadScheduler scheduler = new ThreadScheduler(4);
    Map<String, Site> sites = new TreeMap<>();
    for (String site : List.of(arguments).subList(4, arguments.length)) {
      String name = site.substring(0, site.indexOf('='));
      String endpoint = site.substring(name.length() + 1);
      sites.put(
          name,
          HotRod.connect(SiteConfiguration.builder(name).endpoint(endpoint).build(), scheduler));
    }
    StoredDefinition stored =
        definitions.get(arguments[1]).toCompletableFuture().get().orElseThrow();
    CacheDefinition to =
        CacheDefinition.of(arguments[1], Mode.MWMR).sites(arguments[2].split(",")).build();
    Map<String, String> lives = new TreeMap<>();
    to.sites().forEach(site -> lives.put(site, token()));
    WriterId writer = new WriterId(RANDOM.nextLong(), RANDOM.nextLong());
    ConfigurationChange begun =
        ConfigurationChange.begun(to, lives, Mover.owner(writer), new TreeSet<>());
    StoredDefinition next = stored.with(Optional.of(begun));
    definitions.replace(next).toCompletableFuture().get();
    int stands = Integer.parseInt(arguments[3]);
    List<ChangeAction> errands = new ArrayList<>();
    new Mover(
            new MoverContext(
                SiteDirectory.of(sites),
                definitions,
                scheduler,
                new HybridClock(scheduler::epochMicros),
                PausingMoverProgram::token,
                new ChangeRules(ConfigurationLeaseRules.STANDARD),
                changeAction -> {
                  if (errands.isEmpty()
                      || !isAgain(errands.get(errands.size() - 1), changeAction)) {
                    errands.add(changeAction);
                  }
                  if (errands.size() > stands) {
                    standStill(changeAction);
                  }
                }),
            writer,
            next)
        .start();
    System.in.read(); // Blocks until it is killed or its parent has ended.
    Runtime.getRuntime().halt(1);
  }

  /** Two successive actions of one kind are a retry. */
  private static boolean isAgain(ChangeAction before, ChangeAction now) {
    return before.getClass() == now.getClass();
  }

  private static String token() {
    return "%08x".formatted(RANDOM.nextInt());
  }

  private static void standStill(ChangeAction changeAction) {
    System.out.println("at " + changeAction.getClass().getSimpleName());
    System.out.flush();
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
