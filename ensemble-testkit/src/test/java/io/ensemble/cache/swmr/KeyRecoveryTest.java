package io.ensemble.cache.swmr;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.swmr.copy.KeyRecovery;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.sim.SimScheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which sites the walk over all keys needs, and how failures of keys and sites end it. */
class KeyRecoveryTest {

  private static final WriterId SELF = new WriterId(1, 2);
  private static final TermLeaseRules LEASES = new TermLeaseRules(300_000_000, 10_000_000);

  private final SimScheduler scheduler = SimScheduler.ofSeed(5);
  private final Set<String> down = new HashSet<>();
  private final List<String> walked = new ArrayList<>();
  private final Map<Bytes, Integer> tries = new HashMap<>();
  private int scansOpen;
  private int triesThatFail;
  private boolean closed;
  private boolean closing;

  /** A site that holds one key of its own, which its scan returns twice. */
  private StoreHandle handle(String site) {
    return FakeHandle.opening(
        site,
        () ->
            down.contains(site)
                ? CompletableFuture.failedFuture(new IllegalStateException("planted: " + site))
                : CompletableFuture.completedFuture(
                    FakeHandle.store((proxy, method, given) -> new OneKey(site))));
  }

  private final class OneKey implements SiteStore.Scan {
    private final Queue<List<Item>> batches;

    OneKey(String site) {
      List<Item> batch = List.of(new Item(key(site), key(site)));
      batches = new ArrayDeque<>(List.of(batch, batch, List.of()));
      walked.add(site);
      scansOpen++;
    }

    @Override
    public CompletionStage<List<Item>> next(Deadline deadline) {
      return CompletableFuture.completedFuture(batches.remove());
    }

    @Override
    public void close() {
      scansOpen--;
    }
  }

  private static Bytes key(String site) {
    return Bytes.of(site.getBytes(UTF_8));
  }

  private boolean recoveredAll(String primary, String... sites) {
    EngineContext cache =
        new EngineContext(
            CacheDefinition.of("c", Mode.SWMR).sites(sites).build(),
            Stream.of(sites).map(this::handle).toList(),
            Optional.empty(),
            scheduler,
            new HybridClock(scheduler::epochMicros),
            SELF,
            CacheMetrics.NONE);
    Term term = Term.first(primary, SELF).succeeded(primary, SELF);
    CompletableFuture<Boolean> all =
        new KeyRecovery(cache, LEASES, this::recover, () -> closed)
            .run(term, new VoterSets(cache).sitesToWalk(term))
            .toCompletableFuture();
    scheduler.run(all::isDone, Duration.ofSeconds(1), 1_000);
    assertThat(scansOpen).as("scans left open").isZero();
    return all.join();
  }

  private CompletionStage<Boolean> recover(Bytes key) {
    closed |= closing;
    return CompletableFuture.completedFuture(tries.merge(key, 1, Integer::sum) > triesThatFail);
  }

  @Test
  void thePrimaryIsWalkedFirstAndSoManyThatTheRestIsNoMajority() {
    assertThat(recoveredAll("c", "a", "b", "c", "d", "e")).isTrue();
    assertThat(walked).containsExactly("c", "a", "b");
    assertThat(tries).containsOnlyKeys(key("c"), key("a"), key("b"));
  }

  @Test
  void aSiteThatCannotBeWalkedIsReplacedByTheNext() {
    down.add("b");
    assertThat(recoveredAll("a", "a", "b", "c")).isTrue();
    assertThat(walked).containsExactly("a", "c");
  }

  @Test
  void tooFewSitesAreNotAllKeys() {
    down.addAll(Set.of("b", "c"));
    assertThat(recoveredAll("a", "a", "b", "c")).isFalse();
  }

  @Test
  void nothingIsRecoveredIntoAPrimaryThatCannotBeWalked() {
    down.add("a");
    assertThat(recoveredAll("a", "a", "b", "c")).isFalse();
    assertThat(tries).isEmpty();
  }

  @Test
  void aKeyIsTriedAgain() {
    triesThatFail = 2;
    assertThat(recoveredAll("a", "a")).isTrue();
    assertThat(tries).as("and found recovered, met again").containsEntry(key("a"), 4);
  }

  @Test
  void aKeyThatIsNotRecoveredEndsTheWalkAtLast() {
    triesThatFail = 100;
    assertThat(recoveredAll("a", "a")).isFalse();
    assertThat(tries).containsEntry(key("a"), 3);
  }

  @Test
  void oneKeyThatIsNotRecoveredIsEnoughWhateverTheOthersDo() {
    tries.put(key("b"), 100); // Only this key can be recovered.
    triesThatFail = 50;
    assertThat(recoveredAll("a", "a", "b", "c")).isFalse();
  }

  @Test
  void noMoreIsAskedOfASiteWhoseKeyWasNotRecovered() {
    triesThatFail = 3;
    assertThat(recoveredAll("a", "a")).isFalse();
    assertThat(tries).containsEntry(key("a"), 3);
  }

  @Test
  void whatTheCloseInterruptsIsNotAllKeys() {
    closing = true;
    assertThat(recoveredAll("a", "a")).isFalse();
  }

  @Test
  void nobodyTriesOrTrustsAfterTheClose() {
    closed = true;
    triesThatFail = 2;
    assertThat(recoveredAll("a", "a", "b", "c")).isFalse();
    assertThat(tries).containsEntry(key("a"), 1);
  }
}
