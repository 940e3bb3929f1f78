package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.HouseRules.Source;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The repository keeps the {@link HouseRules}, and each rule finds a violation. */
@Execution(ExecutionMode.CONCURRENT)
class HouseRulesTest {

  private static final String CORE = "ensemble-core/src/main/java/io/ensemble/";
  private static final String OBJECTS = "atomic-objects/src/main/java/io/ensemble/objects/";
  private static final String DOCTOR = "ensemble-check/src/main/java/io/ensemble/check/doctor/";
  private static final Source CORE_INFO =
      new Source(CORE + "package-info.java", "/** Core. */\n@NullMarked\npackage io.ensemble;\n");

  @Test
  void theRepositoryKeepsItsRules() throws IOException {
    Path root = Path.of("").toAbsolutePath().getParent();

    List<Source> sources = HouseRules.sourcesUnder(root);

    assertThat(sources)
        .extracting(Source::path)
        .contains("pom.xml", "ensemble-core/pom.xml", CORE + "package-info.java");
    assertThat(HouseRules.violations(sources)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "import org.infinispan.client.hotrod.RemoteCache;",
        "import java.net.Socket;",
        "import java.nio.channels.SocketChannel;",
        "import io.ensemble.site.Site;",
        "import java.util.concurrent.ExecutorService;",
        "import java.util.concurrent.Executors;",
        "import java.util.concurrent.CompletableFuture;",
        "import java.util.concurrent.CompletionStage;",
        "Object o = Thread.currentThread();",
        "import java.time.Clock;",
        "long t = System.currentTimeMillis();",
        "long t = System.nanoTime();",
        "var t = Instant.now();",
        "var r = new Random();",
        "var r = ThreadLocalRandom.current();",
        "var id = UUID.randomUUID();",
      })
  void aPurePackageHasNoEffectsOfItsOwn(String line) {
    assertThat(found(CORE + "register/Bad.java", line)).hasSize(1);
    assertThat(found(CORE + "stamp/Bad.java", line)).hasSize(1);
    assertThat(found(CORE + "quorum/Bad.java", line)).hasSize(1);
    assertThat(found(OBJECTS + "protocol/Bad.java", line)).hasSize(1);
    assertThat(found(DOCTOR + "Bad.java", line)).hasSize(1);
    assertThat(found(CORE + "Good.java", line)).isEmpty();
  }

  @Test
  void aPurePackageMayUseWhatIsHandedIn() {
    String code =
        "var r = new Random(seed); TimeUnit u = MILLISECONDS; import io.ensemble.stamp.S;";

    assertThat(found(CORE + "register/Good.java", code)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Thread.sleep(10);",
        "Thread\n    .sleep(10);",
        "TimeUnit.SECONDS.sleep(1);",
        "import static java.lang.Thread.sleep;",
        "LockSupport.parkNanos(5);",
      })
  void nothingSleepsInMainOrTest(String line) {
    assertThat(found(CORE + "Bad.java", line)).isNotEmpty();
    assertThat(found("ensemble-cli/src/test/java/io/ensemble/cli/BadTest.java", line)).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "reply.join();",
        "replies.map(CompletableFuture::join);",
        "stage.toCompletableFuture().get();",
        "future.get();",
        "reply.get(5, TimeUnit.SECONDS);",
        "reply.get(deadline.remaining(), MILLISECONDS);",
        "latch.await();",
        "latch.await(1, SECONDS);",
        "pool.awaitTermination(1, SECONDS);",
        "lock.wait();",
        "queue.take();",
        "permits.acquire();",
      })
  void coreWaitsInOneFileOnly(String line) {
    assertThat(found(CORE + "cache/Bad.java", line)).isNotEmpty();
    assertThat(found(OBJECTS + "Bad.java", line)).isNotEmpty();
    assertThat(found(HouseRules.MAY_WAIT.iterator().next(), line)).isEmpty();
    assertThat(found("ensemble-cli/src/main/java/io/ensemble/cli/Main.java", line)).isEmpty();
  }

  @Test
  void lookingUpIsNotWaiting() {
    String code =
        "map.get(key); optional.get(); String.join(\",\", a); permits.tryAcquire(); map.get(k).orTimeout(1, SECONDS);";

    assertThat(found(CORE + "cache/Good.java", code)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "class Bad implements Serializable {},      no Java serialization",
    "new ObjectOutputStream(out);,              no Java serialization",
    "list.parallelStream();,                    nothing runs in the common pool",
    "ForkJoinPool.commonPool();,                nothing runs in the common pool",
  })
  void mainCodeStaysClearOf(String line, String rule) {
    assertThat(found(CORE + "Bad.java", line)).singleElement().asString().contains(rule);
  }

  @Test
  void onlyTheCommandLineAndTheBenchmarksUseTheRestService() {
    String line = "import io.ensemble.rest.RestService;";

    assertThat(found(CORE + "Bad.java", line)).hasSize(1);
    assertThat(found("ensemble-cli/src/main/java/io/ensemble/cli/Good.java", line)).isEmpty();
  }

  @Test
  void textFilesNameNothingOutsideTheRepository() {
    assertThat(found("README.md", "see /wor" + "k/main")).hasSize(1);
    assertThat(found("docs/a.md", "see ../share" + "d/design")).hasSize(1);
    assertThat(found(".ci/run", "# for issue" + " #2")).hasSize(1);
    assertThat(found("pom.xml", "<!-- Issue" + " 12 -->")).hasSize(1);
    assertThat(found(CORE + "Bad.java", "// TO" + "DO later")).hasSize(1);
    assertThat(found("CONTRIBUTING.md", "Open an issue first; workers share.")).isEmpty();
  }

  @Test
  void aPackageThatDoesNotExplainItselfIsFound() {
    Source undocumented = new Source(CORE + "site/package-info.java", "@NullMarked package a;");
    Source unmarked = new Source(CORE + "codec/package-info.java", "/** @NullMarked */ package a;");
    Source bare = new Source("ensemble-cli/src/main/java/io/ensemble/cli/Main.java", "");
    Source test = new Source("ensemble-cli/src/test/java/io/ensemble/other/MainTest.java", "");

    assertThat(HouseRules.violations(List.of(CORE_INFO, undocumented, unmarked, bare, test)))
        .hasSize(3);
  }

  @Test
  void commentsAndLiteralsAreNotCode() {
    String text =
        """
        // Thread.sleep(1)
        /* latch.await()
           reply.join() */
        String s = "Thread.sleep(1) // \\" not a comment";
        char c = '"'; char d = '\\''; // "
        """;

    assertThat(found(CORE + "Good.java", text)).isEmpty();
    assertThat(found(CORE + "Bad.java", text + "Thread.sleep(2);"))
        .singleElement()
        .asString()
        .startsWith(CORE + "Bad.java:6: nothing sleeps");
  }

  private static List<String> found(String path, String text) {
    String directory = path.substring(0, path.lastIndexOf('/') + 1);
    Source info = new Source(directory + "package-info.java", CORE_INFO.text());
    return HouseRules.violations(List.of(info, new Source(path, text)));
  }

  @Test
  void aTestWithADeepFormBelongsToALongPart() {
    Source parts = new Source("long-tests", "sites=KnownIT\n");
    String tag = "@Tag(\"dee" + "p\") class X {}";
    Source known = new Source("zoofence/src/test/java/KnownIT.java", tag);
    Source unknown = new Source("zoofence/src/test/java/UnknownIT.java", tag);

    assertThat(HouseRules.violations(List.of(parts, known, CORE_INFO))).isEmpty();
    assertThat(HouseRules.violations(List.of(parts, known, unknown, CORE_INFO)))
        .singleElement()
        .asString()
        .contains("UnknownIT.java", "long-tests");
  }

  @Test
  void aLongPartNamesTestsWithADeepFormOnly() {
    Source parts = new Source("long-tests", "one=KnownIT,RenamedIT\ntwo=PlainIT\n");
    Source known = new Source("ensemble-rest/src/test/java/KnownIT.java", "@Tag(\"dee" + "p\")");
    Source plain = new Source("ensemble-rest/src/test/java/PlainIT.java", "class PlainIT {}");

    assertThat(HouseRules.violations(List.of(parts, known, plain, CORE_INFO)))
        .satisfiesExactly(
            one -> assertThat(one).contains("RenamedIT"),
            other -> assertThat(other).contains("PlainIT"));
  }

  @Test
  void aPageNamesItsSubject() {
    assertThat(found("docs/a.md", "Nobod" + "y waits.")).hasSize(1);
    assertThat(found("zoofence/README.md", "It has stopped for goo" + "d.")).hasSize(1);
    assertThat(found("docs/decisions/0001-a.md", "Nobod" + "y waits.")).isEmpty();
  }

  @Test
  void aPackageOfManyFilesIsFound() {
    List<Source> many = new ArrayList<>();
    for (int i = 0; i < 26; i++) {
      many.add(new Source(CORE + "register/C" + i + ".java", "class C" + i + " {}"));
    }
    many.add(new Source(CORE + "register/package-info.java", CORE_INFO.text()));

    assertThat(HouseRules.violations(many))
        .singleElement()
        .asString()
        .contains("ensemble/register: a package has 26 files at most: 27");
    assertThat(HouseRules.violations(many.subList(1, many.size()))).isEmpty();
  }

  @Test
  void aSimpleNameIsUsedOnce() {
    Source one = new Source("zoofence/src/test/java/a/Window.java", "class Window {}");
    Source other = new Source("ensemble-rest/src/test/java/b/Window.java", "class Window {}");

    assertThat(HouseRules.violations(List.of(one, CORE_INFO))).isEmpty();
    assertThat(HouseRules.violations(List.of(one, other, CORE_INFO)))
        .singleElement()
        .asString()
        .contains("zoofence/src/test/java/a/Window.java", "ensemble-rest/src/test/java/b/Window");
  }

  @Test
  void aLatchThatStaysClosedIsNoSleep() {
    assertThat(
            found(
                "ensemble-rest/src/test/java/Bad.java",
                "new CountDownLatch(1).await(20, TimeUnit.MILLISECONDS);"))
        .singleElement()
        .asString()
        .contains("awaits a condition");
    assertThat(found("ensemble-rest/src/test/java/Good.java", "new CountDownLatch(1).await();"))
        .isEmpty();
  }
}
