package io.ensemble.check.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.AsyncEnsembleCache;
import io.ensemble.EnsembleCache;
import io.ensemble.check.faults.EmbeddedSites;
import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.federation.LocalSites;
import io.ensemble.check.report.CheckEvidence;
import io.ensemble.check.report.CheckReport;
import io.ensemble.check.report.CheckResult;
import io.ensemble.check.report.GuaranteeVerdict;
import io.ensemble.check.trial.CheckEnvironment;
import io.ensemble.check.trial.ClientLauncher;
import io.ensemble.check.trial.ClientThread;
import io.ensemble.check.workload.RegisterKind;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Verdicts of the trial of objects from registers on three real sites. */
@Timeout(600)
class RegisterCheckIT {

  private static FaultableSites sites;

  @TempDir Path directory;

  @BeforeAll
  static void start() {
    sites = new EmbeddedSites(LocalSites.start(LocalPlan.embedded(3, 1), line -> {}), 1);
  }

  @AfterAll
  static void stop() {
    sites.close();
  }

  /** Instances of set agreement take the longest. */
  @Test
  @Tag("nightly")
  void correctProcessesOfSetAgreementPass() throws Exception {
    correctProcessesPass(RegisterKind.SET_AGREEMENT);
  }

  @ParameterizedTest
  @EnumSource(names = "SET_AGREEMENT", mode = EnumSource.Mode.EXCLUDE)
  void correctProcessesPass(RegisterKind kind) throws Exception {
    CheckResult result =
        run(kind, Set.of(TrialFaultKind.CLIENT), ClientLauncher.ofProgram(ObjectProgram.class));

    CheckEvidence.requireOk(result, directory.resolve("parts"), RegisterCheckIT.class, kind);
  }

  /** Each process then decides alone. */
  @ParameterizedTest
  @EnumSource
  void registersThatShowAProcessItsOwnWritesAloneAreFound(RegisterKind kind) throws Exception {
    CheckReport report =
        run(kind, Set.of(), ClientThread.launcher(RegisterCheckIT::runPlanted)).report();

    assertThat(report.ok()).isFalse();
    assertThat(report.verdict()).isEqualTo(GuaranteeVerdict.VIOLATED);
    assertThat(report.violation().key()).isEqualTo(kind.word() + "-0");
  }

  private static void runPlanted(InputStream in, PrintStream out) throws Exception {
    ObjectProgram.run(in, out, store -> store, RegisterCheckIT::withoutOthers);
  }

  @SuppressWarnings("unchecked")
  private static EnsembleCache<String, byte[]> withoutOthers(EnsembleCache<String, byte[]> cache) {
    AsyncEnsembleCache<String, byte[]> async = cache.async();
    Map<String, byte[]> own = new ConcurrentHashMap<>();
    Object planted =
        Proxy.newProxyInstance(
            AsyncEnsembleCache.class.getClassLoader(),
            new Class<?>[] {AsyncEnsembleCache.class},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "get":
                  return CompletableFuture.completedFuture(
                      Optional.ofNullable(own.get((String) arguments[0])));
                case "getAll":
                  Map<String, byte[]> found = new HashMap<>(own);
                  found.keySet().retainAll((Set<?>) arguments[0]);
                  return CompletableFuture.completedFuture(found);
                case "put":
                  own.put((String) arguments[0], (byte[]) arguments[1]);
                  return call(method, async, arguments);
                default:
                  return call(method, async, arguments);
              }
            });
    return (EnsembleCache<String, byte[]>)
        Proxy.newProxyInstance(
            EnsembleCache.class.getClassLoader(),
            new Class<?>[] {EnsembleCache.class},
            (proxy, method, arguments) ->
                method.getName().equals("async") ? planted : call(method, cache, arguments));
  }

  private static Object call(Method method, Object on, Object[] arguments) throws Throwable {
    try {
      return method.invoke(on, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private CheckResult run(RegisterKind kind, Set<TrialFaultKind> faults, ClientLauncher client)
      throws Exception {
    ObjectRequest request =
        new ObjectRequest(
            kind,
            ObjectStoreKind.ENSEMBLE,
            false,
            3,
            3,
            150,
            1,
            Duration.ofSeconds(4),
            1,
            faults,
            20,
            Duration.ofSeconds(10));
    return new ObjectRun(
            request,
            CheckEnvironment.of(
                sites,
                directory.resolve("definitions").toString(),
                Files.createDirectories(directory.resolve("parts")),
                line -> {}),
            client)
        .run();
  }
}
