package io.ensemble.simulation.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.Payload;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.cache.swmr.SwmrInternals;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.Fault.LostState;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFederation;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A sweep removes tombstones and expired values of an SWMR cache when they are old enough. */
class SwmrSweepTest {

  private static final int RECORD = 1;

  private final SimFederation federation = SimFederation.builder().clients(0).seed(5).build();
  private final SwmrSimCache scene = new SwmrSimCache(federation);
  private final SimClient client = federation.newClient();
  private final OpenSwmrCache cache = scene.open(client);

  private Deadline in(long seconds) {
    return Deadline.after(Duration.ofSeconds(seconds), client.scheduler());
  }

  private void write(String key, Payload value) {
    assertThat(scene.get(cache.write(HistoryPayloads.key(key), value, in(20))))
        .isInstanceOf(WriteOutcome.Applied.class);
  }

  private Long read(OpenSwmrCache by, String key) {
    return HistoryPayloads.number(scene.get(by.read(HistoryPayloads.key(key), in(20))));
  }

  private int sweep() {
    return scene.get(cache.sweep(in(50)));
  }

  private void pass(int seconds) {
    federation.run(Duration.ofSeconds(seconds));
  }

  private int entries() {
    return federation.siteNames().stream().mapToInt(scene::entries).sum();
  }

  @Test
  void anOldTombstoneGoesEverywhereAndAYoungOneStays() {
    write("kept", HistoryPayloads.payload(1));
    for (int i = 0; i < 100; i++) {
      write("k" + i, HistoryPayloads.payload(i));
      write("k" + i, null);
    }
    pass(1);
    assertThat(entries()).isEqualTo(3 * (101 + RECORD));
    assertThat(sweep()).as("all too young").isZero();
    pass(40);
    write("young", null);
    pass(21);

    int forgotten = sweep();

    // The writer's periodic sweep may have removed a few.
    assertThat(forgotten).isBetween(0, 100);
    assertThat(entries()).isEqualTo(3 * (2 + RECORD));
    assertThat(read(cache, "kept")).isEqualTo(1);
    assertThat(read(cache, "k7")).isNull();
    write("k7", HistoryPayloads.payload(8));
    assertThat(read(scene.open(federation.newClient()), "k7")).isEqualTo(8);
  }

  @Test
  void whatASiteMissedIsWrittenToItFirst() {
    write("k", HistoryPayloads.payload(1));
    federation.inject(new Fault.SiteDown("rome", LostState.REQUESTS));
    write("k", null);
    pass(61);
    assertThat(sweep()).as("a site is away").isZero();
    federation.inject(new Fault.SiteUp("rome"));
    pass(5);
    assertThat(sweep()).as("a value is left").isZero();
    for (int i = 0; i < 4; i++) {
      pass(61);
      sweep();
    }

    assertThat(entries()).isEqualTo(3 * RECORD);
    assertThat(read(cache, "k")).isNull();
    for (String primary : federation.siteNames()) {
      scene.get(cache.promote(primary, in(60)));
      assertThat(read(cache, "k")).as(primary).isNull();
    }
  }

  @Test
  void expiredValuesThatNobodyReadsGoToo() {
    long end = client.scheduler().epochMicros() + 1_000_000;
    for (int i = 0; i < 20; i++) {
      write("k" + i, HistoryPayloads.payload(i, end));
    }
    for (int i = 0; i < 4; i++) {
      pass(61);
      sweep();
    }

    assertThat(entries()).isEqualTo(3 * RECORD);
  }

  @Test
  void whoIsNotTheWriterSweepsNothing() {
    write("k", HistoryPayloads.payload(1));
    write("k", null);
    scene.get(cache.resign());
    pass(200);

    assertThat(sweep()).isZero();
    assertThat(entries()).isEqualTo(3 * (1 + RECORD));
    try (EntryScan scan = cache.scan(10)) {
      assertThat(scene.get(scan.next(in(20)))).isEmpty();
    }
  }

  /**
   * Two sites hold a write, and only one of them holds its removal, when a site without either
   * becomes the primary. Two readers recover the key. One finds the removal, and its proposal is
   * accepted; the other one finds the write, and its proposal is delayed.
   *
   * @param age the minimum age of swept tombstones
   * @return the value that is read at the end; before the sweep the key was read as absent
   */
  private Long readAfterASweepAndALateProposal(Duration age) {
    List<String> sites = federation.siteNames();
    DelayedRequests ofWriter = new DelayedRequests();
    OpenSwmrCache writer =
        scene.open(client, ofWriter::site, opened -> SwmrInternals.openWithoutSweeper(opened, age));
    ofWriter.hold(sites.get(2), "putIfAbsent");
    ofWriter.hold(sites.get(2), "replace");
    assertThat(
            scene.get(writer.write(HistoryPayloads.key("k"), HistoryPayloads.payload(1), in(20))))
        .isInstanceOf(WriteOutcome.Applied.class);
    ofWriter.hold(sites.get(0), "replace");
    assertThat(scene.get(writer.write(HistoryPayloads.key("k"), null, in(5))))
        .isInstanceOf(WriteOutcome.Unknown.class);
    ofWriter.pass();
    pass(65);

    scene.get(writer.promote(sites.get(2), in(20)));
    SimClient late = federation.newClient();
    DelayedRequests ofLate = new DelayedRequests();
    OpenSwmrCache findsTheWrite = scene.open(late, ofLate::site, OpenSwmrCache::open);
    ofLate.hold(sites.get(1), "read");
    ofLate.hold(sites.get(2), "putIfAbsent");
    findsTheWrite.read(
        HistoryPayloads.key("k"), Deadline.after(Duration.ofMillis(300), late.scheduler()));
    federation.run(Duration.ofMillis(400));
    SimClient prompt = federation.newClient();
    DelayedRequests ofPrompt = new DelayedRequests();
    OpenSwmrCache findsTheRemoval = scene.open(prompt, ofPrompt::site, OpenSwmrCache::open);
    ofPrompt.hold(sites.get(0), "read");
    assertThat(read(findsTheRemoval, "k")).as("removed").isNull();
    ofPrompt.pass();
    pass(8);
    assertThat(scene.get(writer.term(in(20))).whole()).isTrue();
    scene.get(writer.sweep(in(50)));
    scene.get(writer.sweep(in(50)));
    scene.get(writer.sweep(in(50))); // each walks over another site

    assertThat(ofLate.letGo()).isPositive();
    pass(1);
    return read(findsTheRemoval, "k");
  }

  @Test
  void aRecoveryThatWasLongOnItsWayBringsNothingBackAfterASweep() {
    assertThat(readAfterASweepAndALateProposal(Duration.ofMinutes(1))).isNull();
  }

  @Test
  void aLateProposalIsVoidAlsoWhereASweepForgetsTooEarly() {
    assertThat(readAfterASweepAndALateProposal(Duration.ofMillis(1))).isNull();
  }

  /**
   * Two sites hold a write when one of them becomes the primary. A reader recovers the key; its
   * copy to the third site is delayed, while the key is removed and swept.
   *
   * @param age the minimum age of swept tombstones
   * @return the value that is read at the end, when the third site is the primary
   */
  private Long readAfterASweepAndALateCopy(Duration age) {
    List<String> sites = federation.siteNames();
    DelayedRequests ofWriter = new DelayedRequests();
    OpenSwmrCache writer =
        scene.open(client, ofWriter::site, opened -> SwmrInternals.openWithoutSweeper(opened, age));
    ofWriter.hold(sites.get(2), "putIfAbsent");
    assertThat(
            scene.get(writer.write(HistoryPayloads.key("k"), HistoryPayloads.payload(1), in(20))))
        .isInstanceOf(WriteOutcome.Applied.class);
    ofWriter.pass();
    scene.get(writer.promote(sites.get(1), in(20)));
    DelayedRequests ofLate = new DelayedRequests();
    OpenSwmrCache recovers = scene.open(federation.newClient(), ofLate::site, OpenSwmrCache::open);
    ofLate.hold(sites.get(2), "putIfAbsent");
    assertThat(read(recovers, "k")).isEqualTo(1);
    assertThat(scene.get(writer.write(HistoryPayloads.key("k"), null, in(20))))
        .isInstanceOf(WriteOutcome.Applied.class);
    pass(8);
    assertThat(scene.get(writer.term(in(20))).whole()).isTrue();
    scene.get(writer.sweep(in(50)));
    scene.get(writer.sweep(in(50)));
    scene.get(writer.sweep(in(50))); // each walks over another site

    assertThat(ofLate.letGo()).isPositive();
    scene.get(writer.promote(sites.get(2), in(20)));
    return read(recovers, "k");
  }

  @Test
  void aCopyThatIsOnItsWayForLessThanAMinuteBringsNothingBack() {
    assertThat(readAfterASweepAndALateCopy(Duration.ofMinutes(1))).isNull();
  }

  @Test
  void aSweepThatForgetsTooEarlyIsCaught() {
    assertThat(readAfterASweepAndALateCopy(Duration.ofMillis(1))).isEqualTo(1);
  }
}
