package io.ensemble.check.registers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.check.faults.CompositeSites;
import io.ensemble.check.faults.EmbeddedSites;
import io.ensemble.check.faults.FaultEvent;
import io.ensemble.check.faults.FaultTarget;
import io.ensemble.check.faults.FaultableCatalog;
import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.faults.PlannedFault;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.federation.LocalSites;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.report.CheckEvidence;
import io.ensemble.check.report.CheckReport;
import io.ensemble.check.report.CheckResult;
import io.ensemble.check.report.GuaranteeVerdict;
import io.ensemble.check.report.RecordedHistoryJudge;
import io.ensemble.check.report.ReportFiles;
import io.ensemble.check.report.WindowFile;
import io.ensemble.check.trial.CheckEnvironment;
import io.ensemble.check.trial.ClientLauncher;
import io.ensemble.check.trial.ClientThread;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.Site;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.SharedFederation;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.HistoryRecorder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Verdicts of the trial on real sites: of clients with planted bugs, of honest clients during
 * faults, and of a client process that dies. Most clients are threads.
 */
@Timeout(600)
class CheckIT {
  private static final ClientLauncher PROCESSES = ClientLauncher.ofProgram(ClientProgram.class);

  private static final ClientLauncher HONEST =
      ClientThread.launcher((in, out) -> ClientProgram.run(in, out, cache -> cache));

  /** With this seed, the split lasts 1.6 s, and each node is down for 0.6 s. */
  private static final long SEED_OF_SHORT_FAULTS = 189;

  private static FaultableSites threeSites;
  private static FaultableSites sites;

  @TempDir Path directory;

  @BeforeAll
  static void start() {
    threeSites = new EmbeddedSites(LocalSites.start(LocalPlan.embedded(3, 1), line -> {}), 1);
    sites = threeSites;
  }

  @AfterAll
  static void stop() {
    threeSites.close();
  }

  static Stream<Arguments> lies() {
    return Stream.of(
        arguments("lost write", ClientThread.launcher(PlantedCacheBugs::lostWrite)),
        arguments("stale read", ClientThread.launcher(PlantedCacheBugs::staleRead)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("lies")
  void aClientThatLiesIsFoundOut(String lie, ClientLauncher client) throws Exception {
    CheckResult result = run(Mode.MWMR, client, Set.of());

    CheckReport report = result.report();
    assertThat(report.ok()).isFalse();
    assertThat(report.verdict()).isEqualTo(GuaranteeVerdict.VIOLATED);
    CheckReport.Violation violation = report.violation();
    assertThat(violation).isNotNull();
    assertThat(violation.explanation()).contains("<-- impossible");
    assertThat(result.history().operations().get((int) violation.line() - 1))
        .isEqualTo(result.finding().culprit());
    assertThat(result.finding().around()).contains(result.finding().culprit());
    assertThat(report.problems()).contains("the guarantee was violated: linearizable per key");
    assertNothingIsLeft();
  }

  /** The staleness is longer than the run takes to write a key again, but for one of the two. */
  @Test
  void nearReadsAreJudgedByTheirStaleness() throws Exception {
    Set<TrialFaultKind> faults = Set.of(TrialFaultKind.CUT, TrialFaultKind.PAUSE);
    CheckResult honest = run(near(Duration.ofMillis(200), faults), HONEST);
    CheckReport report = CheckEvidence.requireOk(honest, parts(Mode.MWMR), CheckIT.class, "near");
    assertThat(report.guarantee()).contains("near reads");
    assertThat(honest.history().operations()).anyMatch(one -> one.op().equals("near_read"));

    CheckResult old =
        run(
            near(Duration.ofMillis(1), Set.of()),
            ClientThread.launcher(PlantedCacheBugs::staleRead));
    assertThat(old.report().verdict()).isEqualTo(GuaranteeVerdict.VIOLATED);
    assertThat(old.history().operations().get((int) old.report().violation().line() - 1).op())
        .isNotNull();
    assertNothingIsLeft();
  }

  private static CheckRequest near(Duration staleness, Set<TrialFaultKind> faults) {
    return new CheckRequest(
        Mode.MWMR,
        Acknowledgement.MAJORITY,
        4,
        2,
        600,
        3,
        Duration.ofSeconds(4),
        1,
        faults,
        50,
        Duration.ofSeconds(3),
        0,
        staleness,
        0);
  }

  @Test
  void aWeakClientThatInventsIsFoundOut() throws Exception {
    CheckReport report =
        run(Mode.WEAK, ClientThread.launcher(PlantedCacheBugs::inventedValue), Set.of()).report();

    assertThat(report.ok()).isFalse();
    assertThat(report.verdict()).isEqualTo(GuaranteeVerdict.VIOLATED);
    assertThat(report.violation().operation()).isEqualTo("read() = -5");
  }

  @Test
  void writesThatArePlantedAsLostAreAllowedWhenReported() throws Exception {
    CheckResult result = run(Mode.SWMR, ClientThread.launcher(PlantedLoss::reported), Set.of());
    Path kept = directory.resolve("kept.jsonl");
    ReportFiles.history(kept, result, "1.0");
    CheckReport again = RecordedHistoryJudge.judge(List.of(kept), false, 1).report();
    Files.delete(WindowFile.beside(kept));
    CheckReport unaware = RecordedHistoryJudge.judge(List.of(kept), false, 1).report();

    CheckEvidence.requireOk(result, parts(Mode.SWMR), CheckIT.class, "reported");
    assertThat(result.report().guarantee()).contains("but for reported").doesNotContain("lost 0");
    assertThat(again.problems()).isEmpty();
    assertThat(again.guarantee()).isEqualTo(result.report().guarantee());
    assertThat(unaware.verdict()).isEqualTo(GuaranteeVerdict.VIOLATED);
  }

  @Test
  void aClientThatHidesALossIsFoundOut() throws Exception {
    CheckReport report =
        run(Mode.SWMR, ClientThread.launcher(PlantedLoss::hidden), Set.of()).report();

    assertThat(report.ok()).isFalse();
    assertThat(report.verdict()).isEqualTo(GuaranteeVerdict.VIOLATED);
    assertThat(report.violation().explanation()).contains("<-- impossible");
    assertNothingIsLeft();
  }

  @Test
  void anOperationThatEndsAsNoneMayFailsTheRun() throws Exception {
    CheckReport report =
        run(Mode.MWMR, ClientThread.launcher(PlantedCacheBugs::broken), Set.of()).report();

    assertThat(report.verdict()).isEqualTo(GuaranteeVerdict.HELD);
    assertThat(report.ok()).isFalse();
    assertThat(report.problems())
        .singleElement()
        .asString()
        .contains("with an unexpected error", "planted");
  }

  @Test
  void aClientProcessThatDiesIsNoRun() {
    assertThatThrownBy(
            () -> run(Mode.MWMR, ClientLauncher.ofProgram(PlantedCacheBugs.Crash.class), Set.of()))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("a client process did not end normally");
    assertNothingIsLeft();
  }

  @Test
  void theCatalogMayDieAndStandStillWhileClientsWork() throws Exception {
    try (FaultableCatalog catalog = FaultableCatalog.start(directory.resolve("catalog"))) {
      CheckResult result =
          new CheckRun(
                  // Few operations, so that slow machines finish too, spread over the faults.
                  request(Mode.SWMR, 400, Duration.ofSeconds(3), Set.of(TrialFaultKind.CATALOG)),
                  CheckEnvironment.of(
                      new CompositeSites(sites, catalog),
                      catalog.address(),
                      Files.createDirectories(directory.resolve("parts")),
                      line -> {}),
                  HONEST)
              .run();
      CheckReport report =
          CheckEvidence.requireOk(result, directory.resolve("parts"), CheckIT.class, "catalog");

      assertThat(report.faults()).containsOnlyKeys("catalog");
      assertThat(result.events()).hasSizeGreaterThanOrEqualTo(2);
      assertThat(result.history().operations())
          .as("answered without the catalog")
          .anyMatch(
              one -> one.outcome() == HistoryOutcome.OK && isAmongFaults(one, result.events()));
    }
  }

  /** Whether the operation was called and answered during one fault. */
  private static boolean isAmongFaults(HistoryOperation one, List<FaultEvent> events) {
    for (int i = 0; i + 1 < events.size(); i += 2) {
      FaultEvent begin = events.get(i);
      FaultEvent end = events.get(i + 1);
      assertThat(begin.phase() + end.phase()).isEqualTo(FaultEvent.BEGIN + FaultEvent.END);
      if (one.callNanos() > begin.atNanos() && one.returnNanos() < end.atNanos()) {
        return true;
      }
    }
    return false;
  }

  @Test
  void honestWeakClientsPassAmongFaults() throws Exception {
    CheckResult result = run(Mode.WEAK, HONEST, Set.of(TrialFaultKind.CUT, TrialFaultKind.KILL));

    CheckReport report = CheckEvidence.requireOk(result, parts(Mode.WEAK), CheckIT.class, "weak");
    assertThat(report.operations().completed()).isGreaterThan(report.operations().enough());
    assertThat(report.faults()).containsKeys("cut", "kill");
    assertThat(report.refilled()).isPositive();
    assertNothingIsLeft();
  }

  /** One client writes at a time and hands over to the next; the primary is killed or cut off. */
  @Test
  void honestClientsOfAPrimaryPassAmongFaults() throws Exception {
    CheckRequest request =
        request(
            Mode.SWMR,
            Acknowledgement.MAJORITY,
            800,
            Duration.ofSeconds(5),
            Set.of(TrialFaultKind.CUT, TrialFaultKind.KILL));
    CheckResult result = run(request, HONEST);

    CheckReport report = CheckEvidence.requireOk(result, parts(Mode.SWMR), CheckIT.class, "swmr");
    assertThat(report.verdict()).isEqualTo(GuaranteeVerdict.HELD);
    assertThat(report.operations().completed()).isGreaterThan(report.operations().enough());
    assertThat(report.faults()).containsKeys("cut", "kill");
    assertThat(report.refilled()).isPositive();
    assertNothingIsLeft();
  }

  @Test
  void honestClientsPassWhileNodesDie() throws Exception {
    sites = new EmbeddedSites(SharedFederation.threeNodes(), 3);
    try {
      CheckResult result = run(Mode.MWMR, HONEST, Set.of(TrialFaultKind.NODE));

      CheckReport report = CheckEvidence.requireOk(result, parts(Mode.MWMR), CheckIT.class, "node");
      assertThat(report.verdict()).isEqualTo(GuaranteeVerdict.HELD);
      assertThat(report.operations().completed()).isGreaterThan(report.operations().enough());
      assertThat(report.faults()).containsKeys("node");
    } finally {
      sites = threeSites;
    }
  }

  @ParameterizedTest
  @CsvSource({"MWMR, 3", "SWMR, 3", "MWMR, 2"})
  @Tag("nightly")
  void honestClientsPassWhileNodesThatStayAwayAreReplaced(Mode mode, int number) throws Exception {
    FaultableSites many =
        new EmbeddedSites(LocalSites.start(LocalPlan.embedded(number, 3), line -> {}), 3);
    sites = many;
    try {
      CheckRequest request =
          request(
              mode,
              Acknowledgement.MAJORITY,
              1_200,
              Duration.ofSeconds(5),
              Set.of(TrialFaultKind.REPLACE));
      CheckResult result = run(request, PROCESSES); // One of them is paused meanwhile.

      CheckReport report = CheckEvidence.requireOk(result, parts(mode), CheckIT.class, "replace");
      assertThat(report.verdict()).isEqualTo(GuaranteeVerdict.HELD);
      assertThat(report.operations().completed()).isGreaterThan(report.operations().enough());
      assertThat(report.faults()).containsKeys("replace");
    } finally {
      sites = threeSites;
      many.close();
    }
  }

  /**
   * One site, with a replica on each node. A node restarts after the former one has been refilled.
   */
  @Test
  @Tag("nightly")
  void honestClientsPassWhileNodesAreRestartedInTurnAndLoseSightOfEachOther() throws Exception {
    EmbeddedFederation federation = SharedFederation.threeNodes();
    List<List<Integer>> reached = Collections.synchronizedList(new ArrayList<>());
    FaultableSites real = new EmbeddedSites(federation, 3);
    sites = new CompositeSites(real, watched(real, federation.sites().get(0), reached));
    try {
      CheckRequest request =
          new CheckRequest(
              Mode.MWMR,
              Acknowledgement.MAJORITY,
              4,
              2,
              600,
              3,
              Duration.ofSeconds(4),
              SEED_OF_SHORT_FAULTS,
              Set.of(TrialFaultKind.ROLLING, TrialFaultKind.SPLIT),
              50,
              Duration.ofSeconds(3),
              0,
              null,
              0);

      CheckResult result = run(request, HONEST);

      CheckReport report =
          CheckEvidence.requireOk(result, parts(Mode.MWMR), CheckIT.class, "rolling");
      assertThat(report.verdict()).isEqualTo(GuaranteeVerdict.HELD);
      assertThat(report.operations().completed()).isGreaterThan(report.operations().enough());
      assertThat(report.faults()).containsOnlyKeys("rolling", "restart", "split");
      assertThat(restarts(result.events()))
          .startsWith(
              "begin lyon-0", "refilled lyon-0", "begin lyon-1", "refilled lyon-1", "begin lyon-2");
      assertThat(report.refilled()).isGreaterThanOrEqualTo(3);
      assertThat(reached.get(0)).as("reached during a split").isNotEqualTo(List.of(3, 3, 3));
      assertThat(reached.get(1)).as("reached after it").containsExactly(3, 3, 3);
      assertThat(result.history().operations())
          .as("answered during a split")
          .anyMatch(
              one ->
                  one.outcome() == HistoryOutcome.OK
                      && isAmongFaults(
                          one,
                          result.events().stream()
                              .filter(event -> event.kind().equals("split"))
                              .filter(event -> !event.phase().equals(FaultEvent.BALANCED))
                              .toList()));
      assertNothingIsLeft();
    } finally {
      sites = threeSites;
    }
  }

  /** Records how many nodes each node reaches after a split has begun and after it has ended. */
  private static FaultTarget watched(
      FaultableSites real, EmbeddedSite site, List<List<Integer>> reached) {
    return new FaultTarget() {
      @Override
      public Set<TrialFaultKind> kinds() {
        return Set.of(TrialFaultKind.SPLIT);
      }

      @Override
      public void begin(PlannedFault fault) {
        real.begin(fault);
        reached.add(look());
      }

      @Override
      public void end(PlannedFault fault) {
        real.end(fault);
        reached.add(look());
      }

      private List<Integer> look() {
        return IntStream.range(0, 3).mapToObj(site::reachedFrom).toList();
      }
    };
  }

  private static List<String> restarts(List<FaultEvent> events) {
    return events.stream()
        .filter(event -> event.kind().equals("restart") && !event.phase().equals(FaultEvent.END))
        .map(event -> event.phase() + " " + event.site())
        .toList();
  }

  @Test
  @Tag("deep")
  void honestClientsOfAPrimaryThatAcknowledgesAlonePassAmongFaults() throws Exception {
    CheckResult result = run(Mode.SWMR, PROCESSES, Set.of(TrialFaultKind.CUT, TrialFaultKind.KILL));

    CheckReport report =
        CheckEvidence.requireOk(result, parts(Mode.SWMR), CheckIT.class, "swmr-primary");
    assertThat(report.operations().completed()).isGreaterThan(report.operations().enough());
    assertThat(report.faults()).containsKeys("cut", "kill");
    assertNothingIsLeft();
  }

  @Test
  void sitesThatStayDifferentAreTold() throws Exception {
    Path definitions = directory.resolve("definitions");
    CheckRequest request = request(Mode.WEAK, Set.of());
    try (EnsembleCacheManager manager = manager(definitions)) {
      manager.createCache(
          CacheDefinition.of("split", Mode.WEAK)
              .sites(sites.places().stream().map(SiteDescriptor::name).toList())
              .build());
      manager.<String, Long>getCache("split").put("k0", 1L);
      StoredDefinition stored = manager.stored("split").orElseThrow();
      writeAtOneSiteOnly(sites.places().get(1), stored.store("oslo").orElseThrow());
      FinalReads reads;
      try (HistoryRecorder recorder = HistoryRecorder.inMemory(System::nanoTime, 1_000)) {
        reads =
            new FinalReads(request, sites, definitions.toString(), "split", recorder, line -> {});
        reads.untilSitesAgree(manager, Duration.ofSeconds(1));
      }
      manager.deleteCache("split");

      assertThat(reads.problems()).singleElement().asString().contains("did not converge", "oslo=");
    }
  }

  private static void writeAtOneSiteOnly(SiteDescriptor siteDescriptor, String name)
      throws Exception {
    try (ThreadScheduler scheduler = new ThreadScheduler(1);
        Site site = HotRod.connect(siteDescriptor.configuration(), scheduler)) {
      Deadline deadline = Deadline.after(Duration.ofSeconds(30), scheduler);
      SiteStore store =
          site.open(name, StoreKind.PLAIN, deadline)
              .toCompletableFuture()
              .get(30, TimeUnit.SECONDS);
      Envelope entry =
          Envelope.of(new Stamp(5, new WriterId(1, 1)), Bytes.of(new byte[] {1, 2}), 0);
      store
          .put(Bytes.of(new byte[] {'x'}), EnvelopeCodec.encode(entry), deadline)
          .toCompletableFuture()
          .get(30, TimeUnit.SECONDS);
    }
  }

  private EnsembleCacheManager manager(Path definitions) {
    return FederationConnection.builder(sites.places())
        .definitions(FileDefinitions.in(definitions))
        .build();
  }

  private CheckResult run(Mode mode, ClientLauncher client, Set<TrialFaultKind> faults)
      throws Exception {
    return run(request(mode, faults), client);
  }

  private CheckResult run(CheckRequest request, ClientLauncher client) throws Exception {
    return new CheckRun(
            request,
            CheckEnvironment.of(
                sites,
                directory.resolve("definitions").toString(),
                Files.createDirectories(parts(request.mode())),
                line -> {}),
            client)
        .run();
  }

  private Path parts(Mode mode) {
    return directory.resolve("parts-" + mode);
  }

  private static CheckRequest request(Mode mode, Set<TrialFaultKind> faults) {
    return request(mode, 1_200, Duration.ofSeconds(1), faults);
  }

  private static CheckRequest request(
      Mode mode, int operations, Duration duration, Set<TrialFaultKind> faults) {
    Acknowledgement acknowledgement =
        mode == Mode.SWMR ? Acknowledgement.PRIMARY : Acknowledgement.MAJORITY;
    return request(mode, acknowledgement, operations, duration, faults);
  }

  private static CheckRequest request(
      Mode mode,
      Acknowledgement acknowledgement,
      int operations,
      Duration duration,
      Set<TrialFaultKind> faults) {
    return new CheckRequest(
        mode,
        acknowledgement,
        4,
        2,
        operations,
        3,
        duration,
        1,
        faults,
        50,
        Duration.ofSeconds(3),
        0,
        null,
        0);
  }

  private void assertNothingIsLeft() {
    try (EnsembleCacheManager manager = manager(directory.resolve("definitions"))) {
      assertThat(manager.getCacheNames()).isEmpty();
    }
  }
}
