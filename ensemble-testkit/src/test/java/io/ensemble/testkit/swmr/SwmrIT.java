package io.ensemble.testkit.swmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.EnsembleException;
import io.ensemble.InDoubtWrites;
import io.ensemble.InDoubtWrites.Fate;
import io.ensemble.Mode;
import io.ensemble.PrimaryTerm;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.UnknownOutcomeException;
import io.ensemble.WriteOutcome;
import io.ensemble.WriterPresentException;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Site;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.stamp.Stamp;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.SharedFederation;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An SWMR cache over three real sites, used by several processes, of which one may write. */
@Timeout(180)
class SwmrIT {

  private static final Duration LONG = Duration.ofSeconds(30);

  private static EmbeddedFederation federation;
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();

  @BeforeAll
  static void start() {
    federation = SharedFederation.threeSites();
  }

  @AfterAll
  static void restore() {
    SharedFederation.restoreThreeSites();
  }

  /** A process that can be cut off from some or all sites. */
  private final class User implements AutoCloseable {

    final DisconnectableSites wires = new DisconnectableSites();
    final EnsembleCacheManager manager;
    final EnsembleCache<String, Integer> cache;
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ThreadScheduler scheduler = new ThreadScheduler();
    private final List<Site> sites = new ArrayList<>();

    User(String name) {
      this(name, Acknowledgement.MAJORITY);
    }

    User(String name, Acknowledgement acknowledgement) {
      EnsembleCacheManagerBuilder builder =
          EnsembleCacheManager.builder()
              .refilling(false) // The test refills explicitly.
              .scheduler(scheduler)
              .definitions(definitions)
              .metrics(meters);
      for (EmbeddedSite site : federation.sites()) {
        SiteConfiguration.Builder place = SiteConfiguration.builder(site.name());
        site.endpoints().forEach(at -> place.endpoint("127.0.0.1:" + at.getPort()));
        Site real = HotRod.connect(place.build(), scheduler);
        sites.add(real);
        builder.site(wires.site(real));
      }
      manager = builder.build();
      cache =
          manager.createCache(
              CacheDefinition.of(name, Mode.SWMR)
                  .sites("oslo", "lyon", "rome")
                  .deadline(LONG)
                  .acknowledgement(acknowledgement)
                  .build());
    }

    @Override
    public void close() {
      manager.stop();
      sites.forEach(Site::close);
      scheduler.close();
    }
  }

  /** Repeats an attempt until it succeeds. */
  private static void until(Supplier<Boolean> attempt) {
    await("an attempt that succeeds")
        .pollInterval(Duration.ofMillis(10))
        .atMost(Duration.ofSeconds(90))
        .until(() -> succeeds(attempt));
  }

  private static boolean succeeds(Supplier<Boolean> attempt) {
    try {
      return attempt.get();
    } catch (UnknownOutcomeException again) {
      return false; // A retry is safe: it puts the same value.
    } catch (EnsembleException again) {
      assertThat(again).hasMessageContaining("not applied");
      return false;
    }
  }

  @Test
  void theServiceReturnsUnderAHigherEpochWhenThePrimarySiteDies() {
    try (User writer = new User("orders");
        User reader = new User("orders")) {
      Map<String, Integer> acknowledged = new HashMap<>();
      for (int i = 0; i < 100; i++) {
        writer.cache.put("k" + i, i);
        acknowledged.put("k" + i, i);
      }
      PrimaryTerm before = reader.manager.primaryTerm("orders");
      assertThat(before.primary()).isEqualTo("oslo");
      assertThat(before.writer()).isPresent();
      assertThat(reader.cache.get("k7")).isEqualTo(7);
      assertThatThrownBy(() -> reader.cache.put("k7", 8))
          .isInstanceOf(WriterPresentException.class)
          .hasMessageContaining("cache=orders");

      federation.site("oslo").kill();
      EnsembleCache<String, Integer> hasty = writer.cache.withDeadline(Duration.ofSeconds(1));
      until(
          () -> {
            hasty.put("during", 1);
            return true;
          });
      acknowledged.put("during", 1);
      until(() -> reader.cache.get("during") == 1);
      PrimaryTerm after = reader.manager.primaryTerm("orders");

      assertThat(after.epoch()).isGreaterThan(before.epoch());
      assertThat(after.primary()).isNotEqualTo("oslo");
      assertThat(after.writer()).isEqualTo(before.writer());
      acknowledged.forEach(
          (key, value) -> assertThat(reader.cache.get(key)).as(key).isEqualTo(value));

      assertThat(reader.meters.get("ensemble.writers.refused").counter().count()).isEqualTo(1);
      assertThat(reader.meters.get("ensemble.primary.changes").counter().count())
          .isGreaterThanOrEqualTo(1);
      assertThat(reader.meters.get("ensemble.term.renewals").counter().count()).isPositive();
      assertThat(reader.meters.get("ensemble.term.epoch").gauge().value()).isEqualTo(after.epoch());
      assertThat(reader.meters.get("ensemble.primary").tag("site", after.primary()).gauge().value())
          .isEqualTo(1);

      federation.site("oslo").restart();
      assertThat(reader.manager.recoverSite("orders", "oslo")).isEqualTo(101);
      assertThat(reader.manager.promote("orders", "oslo", Duration.ofSeconds(60)).primary())
          .isEqualTo("oslo");
      String lost = after.primary();
      federation.site(lost).kill();
      acknowledged.forEach(
          (key, value) -> assertThat(reader.cache.get(key)).as(key).isEqualTo(value));
      writer.cache.put("k7", 9);
      assertThat(reader.cache.get("k7")).isEqualTo(9);
      federation.site(lost).restart();
      assertThat(writer.manager.deleteCache("orders")).isTrue();
    }
  }

  /** The writer reaches only the primary, which then dies. No other site has these writes. */
  @Test
  void whatOnlyADeadPrimaryHadIsReportedWriteByWriteAndNothingElseIsLost() {
    try (User writer = new User("window", Acknowledgement.PRIMARY);
        User other = new User("window", Acknowledgement.PRIMARY)) {
      List<InDoubtWrites<String>> reports = new CopyOnWriteArrayList<>();
      writer.cache.onInDoubtWrites(reports::add);
      Map<String, Stamp> acknowledged = Map.of();
      for (int tries = 0; acknowledged.isEmpty() && tries < 10; tries++) {
        writer.wires.heal();
        writeTheKeysAndTheirCopies(writer);
        writer.wires.cut(Set.of("lyon", "rome"));
        acknowledged = acknowledgedByThePrimaryAlone(writer);
      }
      assertThat(acknowledged).isNotEmpty();

      federation.site("oslo").kill();
      until(
          () -> {
            other.cache.put("after", 1);
            return true;
          });
      for (int i = 0; i < 10; i++) {
        assertThat(other.cache.get("k" + i)).as("k" + i).isEqualTo(i);
      }
      writer.wires.heal();
      int all = acknowledged.size();
      until(() -> writer.cache.get("after") == 1 && named(reports, Fate.LOST).size() == all);

      assertThat(named(reports, Fate.UNKNOWN)).isEqualTo(acknowledged);
      assertThat(named(reports, Fate.LOST)).isEqualTo(acknowledged);
      assertThat(reports)
          .allMatch(told -> told.fate() == Fate.UNKNOWN || told.fate() == Fate.LOST)
          .allMatch(told -> told.cache().equals("window"));

      for (int i = 0; i < 10; i++) {
        assertThat(writer.cache.get("k" + i)).as("k" + i).isEqualTo(i);
      }
    } finally {
      federation.site("oslo").restart();
    }
  }

  private static void writeTheKeysAndTheirCopies(User writer) {
    for (int i = 0; i < 10; i++) {
      String key = "k" + i;
      int value = i;
      until(
          () -> {
            writer.cache.put(key, value);
            return true;
          });
    }
    until(
        () ->
            writer.cache.get("k0") == 0
                && writer.meters.get("ensemble.window.writes").gauge().value() == 0);
  }

  /** Writes each key once, until one write is not acknowledged. */
  private static Map<String, Stamp> acknowledgedByThePrimaryAlone(User writer) {
    Map<String, Stamp> all = new HashMap<>();
    for (int i = 0; i < 10; i++) {
      try {
        WriteOutcome<Integer> outcome =
            writer
                .cache
                .withDeadline(Duration.ofSeconds(1))
                .async()
                .put("k" + i, 100 + i)
                .toCompletableFuture()
                .join();
        if (!(outcome instanceof WriteOutcome.Applied<Integer> applied)) {
          return all;
        }
        all.put("k" + i, applied.stamp());
      } catch (CompletionException leaseIsOver) {
        return all;
      }
    }
    return all;
  }

  /** The stamps that were reported with this fate, by key. */
  private static Map<String, Stamp> named(List<InDoubtWrites<String>> reports, Fate fate) {
    Map<String, Stamp> all = new HashMap<>();
    reports.stream()
        .filter(told -> told.fate() == fate)
        .flatMap(told -> told.writes().stream())
        .forEach(write -> assertThat(all.put(write.key(), write.stamp())).isNull());
    return all;
  }

  @Test
  void aWriterThatFellSilentIsFollowedAndFenced() {
    try (User first = new User("silent");
        User second = new User("silent")) {
      first.cache.put("k", 1);

      first.wires.cut();
      until(
          () -> {
            second.cache.put("k", 2);
            return true;
          });

      assertThatThrownBy(() -> first.cache.withDeadline(Duration.ofMillis(500)).get("k"))
          .isInstanceOf(QuorumUnavailableException.class);
      first.wires.heal();
      until(() -> first.cache.get("k") == 2);
      assertThatThrownBy(() -> first.cache.put("k", 3)).isInstanceOf(WriterPresentException.class);
      assertThat(second.cache.get("k")).isEqualTo(2);
      assertThat(second.manager.deleteCache("silent")).isTrue();
    }
  }

  @Test
  void aWriterThatClosesTheCacheIsFollowedAtOnce() {
    try (User first = new User("closed");
        User second = new User("closed")) {
      first.cache.put("k", 1);
      long epoch = second.manager.primaryTerm("closed").epoch();

      first.manager.stopCache("closed");

      assertThat(second.manager.primaryTerm("closed").writer()).isEmpty();
      assertThat(second.cache.replace("k", 1, 2)).isTrue();
      assertThat(second.manager.primaryTerm("closed").epoch()).isEqualTo(epoch + 1);
      assertThat(second.manager.deleteCache("closed")).isTrue();
    }
  }
}
