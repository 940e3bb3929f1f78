package io.ensemble.check.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.StoreIntactException;
import io.ensemble.check.faults.TrialFaultPlan.Settings;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.testkit.link.SiteLinkReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class TrialFaultInjectorTest {
  private static final Settings ALL = new Settings(3, 3, Set.of(TrialFaultKind.values()), 1, false);

  private final List<String> done = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch rounds = new CountDownLatch(2);

  @Test
  void aWipedSiteIsRefilledBeforeAnythingElseIsBroken() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    TrialFaultInjector run =
        run(
            Set.of(TrialFaultKind.AMNESIA),
            (site, former) -> {
              if (tries.incrementAndGet() % 3 != 0) {
                throw new IllegalStateException("not yet");
              }
              done.add("refilled " + site);
              rounds.countDown();
              return 5;
            });

    run.start();
    assertThat(rounds.await(50, TimeUnit.SECONDS)).isTrue();
    run.stop();

    assertThat(run.failure()).isNull();
    assertThat(done.size() % 3).isZero();
    for (int i = 0; i < done.size(); i += 3) {
      String site = done.get(i).replace("begin AMNESIA ", "");
      assertThat(done.subList(i, i + 3))
          .containsExactly("begin AMNESIA " + site, "end AMNESIA " + site, "refilled " + site);
    }
    assertThat(run.injected()).containsExactly(TrialFaultKind.AMNESIA);
    assertThat(FaultCounts.refills(run.events())).isEqualTo(done.size() / 3);
    assertThat(FaultCounts.counts(run.events())).containsOnlyKeys("amnesia");
    assertThat(run.events()).extracting(FaultEvent::atNanos).isSorted();
  }

  @Test
  void aSiteThatCannotBeBrokenEndsTheRunAndIsTold() throws Exception {
    TrialFaultInjector run = run(Set.of(TrialFaultKind.CUT), (site, former) -> 0);

    run.start();
    assertThat(rounds.await(50, TimeUnit.SECONDS)).isTrue();
    run.stop();

    assertThat(run.failure()).contains("the faults stopped in round", "no wire to cut");
  }

  /** A site that is a process starts slowly. The other fault of the round does not wait for it. */
  @Test
  void aFaultEndsInTimeHoweverLongAnotherOfItsRoundTakes() throws Exception {
    CountDownLatch quick = new CountDownLatch(1);
    Imagined sites =
        new Imagined() {
          @Override
          public void end(PlannedFault fault) {
            if (fault.kind() == TrialFaultKind.KILL) {
              await(quick);
            }
            super.end(fault);
            quick.countDown();
          }
        };
    TrialFaultInjector run =
        new TrialFaultInjector(new TrialFaultPlan(1, ALL), sites, (site, former) -> 0, line -> {});

    run.perform(
        new TrialFaultPlan.Round(
            0,
            List.of(
                new PlannedFault(TrialFaultKind.KILL, 0, PlannedFault.ALL, 0, 0, 0),
                new PlannedFault(TrialFaultKind.SLOW, 1, PlannedFault.ALL, 100, 100, 0))));

    assertThat(run.failure()).isNull();
    assertThat(done).last().isEqualTo("end KILL a");
    assertThat(run.events()).extracting(FaultEvent::phase).endsWith("refilled", "balanced");
  }

  @Test
  void theCacheIsBroughtToOtherSitesBesideAFaultOfASite() throws Exception {
    TrialFaultInjector run =
        new TrialFaultInjector(
            new TrialFaultPlan(1, ALL),
            new Imagined(),
            (site, former) -> 0,
            fault -> done.add("moved"),
            line -> {});

    run.perform(
        new TrialFaultPlan.Round(
            0,
            List.of(
                new PlannedFault(TrialFaultKind.RECONFIGURE, 0, PlannedFault.ALL, 0, 0, 0),
                new PlannedFault(TrialFaultKind.SLOW, 1, PlannedFault.ALL, 0, 0, 0))));

    assertThat(run.failure()).isNull();
    assertThat(done).contains("moved", "begin SLOW b", "end SLOW b").hasSize(3);
    assertThat(run.injected()).containsOnly(TrialFaultKind.RECONFIGURE, TrialFaultKind.SLOW);
    assertThat(FaultCounts.counts(run.events())).containsEntry("reconfigure", 1L);
  }

  @Test
  void aChangeThatDoesNotComeToItsEndIsTold() throws Exception {
    TrialFaultInjector run =
        new TrialFaultInjector(
            new TrialFaultPlan(1, ALL),
            new Imagined(),
            (site, former) -> 0,
            fault -> {
              throw new IllegalStateException("the change did not end");
            },
            line -> {});

    run.perform(
        new TrialFaultPlan.Round(
            0,
            List.of(new PlannedFault(TrialFaultKind.RECONFIGURE, 0, PlannedFault.ALL, 0, 0, 0))));

    assertThat(run.failure()).contains("did not end");
    assertThat(run.injected()).isEmpty();
  }

  @Test
  void theNextNodeIsRestartedWhenTheReplicasOfTheLastAreFilledAndSitesAreInBalance()
      throws Exception {
    AtomicInteger tries = new AtomicInteger();
    Imagined sites =
        new Imagined() {
          @Override
          public boolean isBalanced(int site) {
            if (site == 0) {
              done.add("balance is asked");
            }
            return true;
          }
        };
    TrialFaultInjector run =
        new TrialFaultInjector(
            new TrialFaultPlan(1, ALL),
            sites,
            (site, former) -> {
              if (tries.incrementAndGet() % 2 != 0) {
                throw new IllegalStateException("not yet");
              }
              if (site.equals("b")) {
                throw new StoreIntactException("cache", site);
              }
              done.add(former + " " + site);
              return 4;
            },
            line -> {});

    run.perform(rolling());

    assertThat(run.failure()).isNull();
    assertThat(done.subList(0, 11))
        .containsExactly(
            "begin ROLLING a",
            "end ROLLING a",
            "MUST_BE_LOST a",
            "balance is asked",
            "begin ROLLING b",
            "end ROLLING b",
            "balance is asked",
            "begin ROLLING c",
            "end ROLLING c",
            "MUST_BE_LOST c",
            "balance is asked");
    assertThat(run.injected()).containsExactly(TrialFaultKind.ROLLING);
    assertThat(FaultCounts.counts(run.events()))
        .containsEntry("rolling", 1L)
        .containsEntry("restart", 3L);
    assertThat(FaultCounts.refills(run.events())).isEqualTo(2);
    assertThat(run.events())
        .extracting(event -> event.phase() + " " + event.site())
        .containsExactly(
            "begin rolling",
            "begin a-0",
            "end a-0",
            "refilled a-0",
            "begin b-0",
            "end b-0",
            "balanced b-0",
            "begin c-0",
            "end c-0",
            "refilled c-0",
            "end rolling");
  }

  @Test
  void aRunThatIsStoppedRestartsNoFurtherNode() throws Exception {
    TrialFaultInjector run =
        new TrialFaultInjector(
            new TrialFaultPlan(1, ALL), new Imagined(), (site, former) -> 0, line -> {});

    run.stop();
    run.perform(rolling());

    assertThat(done).isEmpty();
    assertThat(run.injected()).isEmpty();
    assertThat(run.failure()).isNull();
  }

  private static TrialFaultPlan.Round rolling() {
    return new TrialFaultPlan.Round(
        0,
        List.of(
            new PlannedFault(
                TrialFaultKind.ROLLING, PlannedFault.NO_SITE, PlannedFault.ALL, 0, 10, 0)));
  }

  /** Each node holds one of several replicas of its site. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void theReplicasOfANodeThatDiedAreFilledHoweverManySitesThereAre(int count) throws Exception {
    Imagined sites =
        new Imagined() {
          @Override
          public List<SiteDescriptor> places() {
            return super.places().subList(0, count);
          }
        };
    TrialFaultInjector run =
        new TrialFaultInjector(
            new TrialFaultPlan(1, new Settings(count, 3, Set.of(TrialFaultKind.NODE), 1, false)),
            sites,
            (site, former) -> {
              done.add(former + " " + site);
              return 3;
            },
            line -> {});

    run.perform(
        new TrialFaultPlan.Round(0, List.of(new PlannedFault(TrialFaultKind.NODE, 0, 2, 0, 0, 0))));

    assertThat(done).containsExactly("begin NODE a", "end NODE a", "MUST_BE_LOST a");
    assertThat(FaultCounts.refills(run.events())).isEqualTo(1);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aStoreThatRefusesPermanentlyIsDiscardedAndItsSiteRefilled() throws Exception {
    List<String> told = new ArrayList<>();
    AtomicInteger degraded = new AtomicInteger(1);
    Imagined sites =
        new Imagined() {
          @Override
          public boolean isBalanced(int site) {
            return site != degraded.get();
          }

          @Override
          public boolean isDegraded(int site) {
            return site == degraded.get();
          }
        };
    RoundRepair roundRepair =
        new RoundRepair(
            sites,
            (site, former) -> {
              done.add(former + " " + site);
              degraded.set(-1);
              return 7;
            },
            (phase, kind, site, what) -> told.add(phase + " " + kind + " " + what),
            Duration.ofMillis(200));

    roundRepair.awaitBalance(List.of(new PlannedFault(TrialFaultKind.PAUSE, 0, 2, 0, 0, 0)));

    assertThat(done).containsExactly("DISCARD b");
    assertThat(told)
        .containsExactly(
            "balanced pause pause a-2",
            "discarded degraded b, its store refused permanently",
            "refilled degraded b, 7 keys");
  }

  private TrialFaultInjector run(Set<TrialFaultKind> kinds, RoundRepair.Refill refill) {
    Settings settings = new Settings(3, 1, kinds, 1, false);
    return new TrialFaultInjector(
        new TrialFaultPlan(1, settings), new Imagined(), refill, line -> {});
  }

  /** Three sites without servers. */
  private class Imagined implements FaultableSites {

    @Override
    public List<SiteDescriptor> places() {
      return List.of(place("a"), place("b"), place("c"));
    }

    private SiteDescriptor place(String name) {
      return new SiteDescriptor(name, List.of("127.0.0.1:1"));
    }

    @Override
    public int nodes() {
      return 1;
    }

    @Override
    public Set<TrialFaultKind> kinds() {
      return Set.of(TrialFaultKind.values());
    }

    @Override
    public boolean killedSitesRemember() {
      return false;
    }

    @Override
    public void begin(PlannedFault fault) {
      if (fault.kind() == TrialFaultKind.CUT) {
        rounds.countDown();
        rounds.countDown();
        throw new IllegalStateException("no wire to cut");
      }
      done.add("begin " + fault.kind() + " " + places().get(fault.site()).name());
    }

    @Override
    public void end(PlannedFault fault) {
      done.add("end " + fault.kind() + " " + places().get(fault.site()).name());
    }

    @Override
    public List<SiteLinkReport> lines() {
      return List.of();
    }

    @Override
    public boolean isBalanced(int site) {
      return true;
    }

    @Override
    public boolean isDegraded(int site) {
      return false;
    }

    @Override
    public void close() {}
  }
}
