package io.ensemble.registers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.SharedFederation;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.history.specification.CounterModel;
import io.ensemble.testkit.linearizability.FailureArtifacts;
import io.ensemble.testkit.linearizability.LinearizabilityChecker;
import io.ensemble.testkit.parallel.Parallel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Objects from registers over three real sites. Each manager stands for a process. */
@Timeout(300)
class RegisterObjectsIT {

  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final List<EnsembleCacheManager> managers = new ArrayList<>();
  private final String name = "registers-" + UUID.randomUUID();

  @BeforeEach
  void create() {
    manager().createCache(definition(Mode.MWMR).build());
  }

  @AfterEach
  void stop() {
    managers.get(0).deleteCache(name);
    managers.forEach(EnsembleCacheManager::close);
  }

  private CacheDefinition.Builder definition(Mode mode) {
    return CacheDefinition.of(name, mode).sites("lyon", "oslo", "rome");
  }

  private EnsembleCacheManager manager() {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder().definitions(definitions).localSite("lyon");
    for (EmbeddedSite site : SharedFederation.threeSites().sites()) {
      SiteConfiguration.Builder configuration = SiteConfiguration.builder(site.name());
      site.endpoints()
          .forEach(at -> configuration.endpoint(at.getHostString() + ":" + at.getPort()));
      builder.site(configuration.build());
    }
    managers.add(builder.build());
    return managers.get(managers.size() - 1);
  }

  private EnsembleCache<String, byte[]> cache(EnsembleCacheManager manager) {
    EnsembleCache<String, byte[]> cache = manager.getCache(name);
    return cache.withDeadline(Duration.ofSeconds(30));
  }

  @Test
  void processesCountTogether() throws Exception {
    HistoryRecorder recorder = HistoryRecorder.inMemory(System::nanoTime, 100_000);
    List<RegisterObjects> processes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      processes.add(RegisterObjects.in(cache(manager())));
    }

    Parallel.forEach(processes, process -> count(process, recorder));

    FailureArtifacts.requireLinearizable(
        recorder.history(),
        LinearizabilityChecker.Options.of(CounterModel.INSTANCE),
        RegisterObjectsIT.class,
        "history");
    List<HistoryOperation> increments =
        recorder.history().operations().stream().filter(o -> o.op().equals("inc")).toList();
    long done = increments.stream().filter(o -> o.outcome() == HistoryOutcome.OK).count();
    assertThat(done).isPositive();
    assertThat(processes.get(0).object("counter", SharedCount.CODEC, 0L).get())
        .isBetween(done, (long) increments.size());
    processes.forEach(RegisterObjects::close);
    recorder.close();
  }

  private static void count(RegisterObjects process, HistoryRecorder recorder) {
    RegisterObject<Long> counter = process.object("counter", SharedCount.CODEC, 0L);
    long client = recorder.newClient();
    for (int i = 0; i < 20; i++) {
      boolean isRead = i % 4 == 3;
      HistoryRecorder.Pending call =
          recorder.begin(client, counter.name(), isRead ? "get" : "inc", null);
      try {
        client = call.ok(isRead ? counter.get() : counter.invoke(SharedCount.INCREMENT));
      } catch (RegisterObjectException.NotApplied e) {
        client = call.failed();
      } catch (RegisterObjectException.Unknown e) {
        client = call.unknown();
      }
    }
  }

  @Test
  void theExampleDoesWhatItSays() throws IOException {
    List<String> lines =
        Files.readAllLines(
            Path.of(
                "../register-objects/src/test/java/io/ensemble/registers/RegisterObjectsExample.java"));
    String example =
        String.join(
                "\n",
                lines.subList(
                    lines.indexOf("    // example:begin") + 1, lines.indexOf("    // example:end")))
            .stripIndent();
    EnsembleCacheManager manager = manager();

    assertThat(Files.readString(Path.of("../docs/register-objects.md")))
        .contains("```java\n" + example + "\n```");
    assertThat(RegisterObjectsExample.run(manager)).isEqualTo("true, led by ada");
    manager.deleteCache("registers");
  }

  @Test
  void blockingCallsAreRefusedWhereTheyWouldWaitForThemselves() {
    EnsembleCache<String, byte[]> cache = cache(manager());
    try (RegisterObjects objects = RegisterObjects.in(cache)) {
      RegisterObject<Long> counter = objects.object("counter", SharedCount.CODEC, 0L);

      assertThatThrownBy(
              () ->
                  cache
                      .async()
                      .put("other", new byte[] {1})
                      .thenApply(written -> counter.get())
                      .toCompletableFuture()
                      .join())
          .hasCauseInstanceOf(IllegalStateException.class)
          .hasMessageContaining("thread of Ensemble");
      assertThatThrownBy(
              () -> counter.invoke(count -> new StateOperation.Effect<>(count, counter.get())))
          .hasStackTraceContaining("inside an operation");
      assertThat(counter.get()).isZero();
    }
  }

  @Test
  void atMostTwoOfThreeLead() {
    List<KSetAgreement> processes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      processes.add(RegisterObjects.in(cache(manager())).setAgreement("leaders", 3, 2));
    }
    Set<String> leaders = ConcurrentHashMap.newKeySet();

    Parallel.forEach(
        processes,
        process -> {
          byte[] own = ("process-" + processes.indexOf(process)).getBytes(UTF_8);
          byte[] decided = process.propose(own);
          assertThat(process.propose("another".getBytes(UTF_8))).isEqualTo(decided);
          leaders.add(new String(decided, UTF_8));
        });

    assertThat(leaders).hasSizeBetween(1, 2).allMatch(leader -> leader.startsWith("process-"));
    KSetAgreement fourth = RegisterObjects.in(cache(manager())).setAgreement("leaders", 3, 2);
    assertThatThrownBy(() -> fourth.propose("late".getBytes(UTF_8)))
        .isInstanceOf(RegisterObjectException.TooManyParticipants.class);
  }

  @Test
  void oneOfThoseThatCompareSwaps() {
    List<RegisterObject<byte[]>> objects = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      objects.add(
          RegisterObjects.in(cache(manager()))
              .object("state", ObjectStateCodec.bytes(), "free".getBytes(UTF_8)));
    }
    List<String> swapped = Collections.synchronizedList(new ArrayList<>());

    Parallel.forEach(
        objects,
        object -> {
          String own = "of-" + objects.indexOf(object);
          if (object.compareAndSwap("free".getBytes(UTF_8), own.getBytes(UTF_8))) {
            swapped.add(own);
          }
        });

    assertThat(swapped).hasSize(1);
    assertThat(objects)
        .allSatisfy(
            object -> assertThat(new String(object.get(), UTF_8)).isEqualTo(swapped.get(0)));
  }

  @Test
  void aCacheWithoutAtomicRegistersIsRefused() {
    EnsembleCacheManager manager = manager();
    EnsembleCache<String, byte[]> weak =
        manager.createCache(
            CacheDefinition.of(name + "-weak", Mode.WEAK).sites("lyon", "oslo", "rome").build());
    EnsembleCache<String, byte[]> primary =
        manager.createCache(
            CacheDefinition.of(name + "-primary", Mode.SWMR)
                .sites("lyon", "oslo", "rome")
                .acknowledgement(Acknowledgement.PRIMARY)
                .build());
    try {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> RegisterObjects.in(weak))
          .withMessageContaining("WEAK");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> RegisterObjects.in(primary))
          .withMessageContaining("primary alone");
    } finally {
      manager.deleteCache(name + "-weak");
      manager.deleteCache(name + "-primary");
    }
  }

  /** Its reads find the keys of one site only. */
  @Test
  void aDistributedCacheInFrontierModeIsRefused() {
    EnsembleCacheManager manager = manager();
    manager.createCache(
        CacheDefinition.of(name + "-part", Mode.MWMR).sites("lyon", "oslo", "rome").build());
    DistributedDefinition whole = DistributedDefinition.of(name + "-whole", name + "-part");
    try {
      EnsembleCache<String, byte[]> frontier = manager.createDistributed(whole.inFrontierMode());

      assertThatIllegalArgumentException()
          .isThrownBy(() -> RegisterObjects.in(frontier))
          .withMessageContaining("frontier");
    } finally {
      manager.deleteCache(whole.name());
      manager.deleteCache(name + "-part");
    }
  }
}
