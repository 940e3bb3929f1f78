package io.ensemble.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ensemble.check.federation.FederationFile;
import io.ensemble.cli.StagedRepository.BuildUser;
import io.ensemble.cli.StagedRepository.Outcome;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A release is staged by one command, complete and twice with the same bytes; an application runs
 * on what is staged.
 */
@Tag("deep")
class ReleaseIT {

  /** A version that no repository has. */
  private static final String VERSION = "0.0.0-trial";

  /** What one of both builds: the other modules take a third of the time, and must not matter. */
  private static final String PUBLISHED =
      ":ensemble-bom,:ensemble-collections,:ensemble-heat-map,:ensemble-jcache,:ensemble-near-cache,:ensemble-register-objects,"
          + ":ensemble-rest,:ensemble-shared-tree,:ensemble-spark,:ensemble-spring-boot-starter,"
          + ":ensemble-testkit,:ensemble-versioning,:ensemble-zoofence";

  private static final Path MAVEN_HOME = Path.of(System.getProperty("user.home"), ".m2");
  private static final Pattern DEPENDENCY =
      Pattern.compile(
          "<groupId>io\\.ensemble</groupId>\\s*<artifactId>([\\w-]+)</artifactId>\\s*"
              + "<version>([^<]+)</version>");

  @TempDir static Path directory;

  private static StagedRepository one;
  private static StagedRepository other;

  @BeforeAll
  static void stageTwice() throws Exception {
    assumeTrue(File.separatorChar == '/');
    BuildUser english = new BuildUser("022", "-Duser.timezone=UTC -Duser.language=en");
    BuildUser german =
        new BuildUser("002", "-Duser.timezone=Pacific/Apia -Duser.language=de -Duser.country=DE");
    one = StagedRepository.stage(directory.resolve("one"), VERSION, english, "-Dunsigned");
    Path keys = Files.createDirectory(directory.resolve("keys"));
    assertThat(keys.toFile().setReadable(false, false)).isTrue();
    assertThat(keys.toFile().setReadable(true, true)).isTrue();
    assertThat(
            gpg("--quick-generate-key", "Trial <trial@example.com>", "default", "default", "never")
                .code())
        .isZero();
    other =
        StagedRepository.stage(
            directory.resolve("other/and/deeper"),
            VERSION,
            german,
            "-pl",
            PUBLISHED,
            "-am",
            "-Dgpg.keyname=trial@example.com",
            "-Dgpg.homedir=" + keys);
  }

  /** The directories, time zones, languages and umasks of both differ, and the signatures. */
  @Test
  void twoBuildsStageTheSameBytes() throws IOException {
    SortedMap<String, Path> ofOne = one.files();
    SortedMap<String, Path> ofOther = other.files();
    ofOther.keySet().removeIf(name -> name.contains(".asc"));

    assertThat(ofOther.keySet()).isEqualTo(ofOne.keySet()).hasSizeGreaterThan(50);
    assertThat(different(ofOne, ofOther)).isEmpty();
  }

  @Test
  void oneChangedByteIsADifference() throws IOException {
    SortedMap<String, Path> files = one.files();
    String name =
        files.keySet().stream().filter(each -> each.endsWith(".jar")).findFirst().orElseThrow();
    byte[] bytes = Files.readAllBytes(files.get(name));
    bytes[bytes.length / 2] ^= 1;
    SortedMap<String, Path> changed = new TreeMap<>(files);
    changed.put(name, Files.write(directory.resolve("changed.jar"), bytes));

    assertThat(different(files, changed)).containsExactly(name);
  }

  @Test
  void exactlyTheModulesOfTheBomAreStaged() throws IOException {
    List<String> expected = new ArrayList<>(ensembleDependencies("ensemble-bom"));
    expected.add("ensemble-bom");

    assertThat(one.artifacts()).containsExactlyInAnyOrderElementsOf(expected).hasSize(12);
    for (String artifact : one.artifacts()) {
      assertThat(one.artifacts()).containsAll(ensembleDependencies(artifact));
    }
  }

  @Test
  void aPomIsCompleteAndDependsOnNoOtherPom() throws IOException {
    for (String artifact : one.artifacts()) {
      assertThat(one.pom(artifact))
          .contains("<name>", "<description>", "<url>", "<license>", "<developer>", "<scm")
          .contains("<connection>", "<version>" + VERSION + "</version>")
          .doesNotContain("<parent>", "${", "SNAPSHOT", "<scope>test</scope>", "<profile>");
    }
  }

  @Test
  void aModuleHasSourcesJavadocAndABillOfMaterials() throws IOException {
    for (String artifact : ensembleDependencies("ensemble-bom")) {
      for (String suffix : List.of(".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json")) {
        assertThat(one.file(artifact, suffix)).isNotEmptyFile();
      }
      assertThat(one.file(artifact, "-tests.jar")).doesNotExist();
      try (JarFile jar = new JarFile(one.file(artifact, ".jar").toFile())) {
        assertThat(jar.getEntry("META-INF/LICENSE")).isNotNull();
        assertThat(jar.getEntry("META-INF/NOTICE")).isNotNull();
        assertThat(jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name"))
            .isEqualTo(artifact.equals("ensemble-zoofence") ? null : moduleName(artifact));
      }
      try (JarFile jar = new JarFile(one.file(artifact, "-javadoc.jar").toFile())) {
        assertThat(jar.getEntry("index.html")).isNotNull();
      }
    }
  }

  @Test
  void eachFileOfASignedReleaseHasASignatureThatVerifies() throws Exception {
    int signatures = 0;
    for (var staged : other.files().entrySet()) {
      if (staged.getKey().matches(".*\\.(pom|jar|json|xml)")) {
        Path signature = Path.of(staged.getValue() + ".asc");
        Outcome verified = gpg("--verify", signature.toString(), staged.getValue().toString());
        assertThat(verified.code()).as(staged.getKey() + verified.output()).isZero();
        signatures++;
      }
    }
    assertThat(signatures).isGreaterThan(30);
    assertThat(one.files().keySet()).noneMatch(name -> name.contains(".asc"));
  }

  @Test
  void aReleaseNeedsAVersionASignatureOrAWordAndNoTests() throws Exception {
    Outcome nothing = one.maven("-pl", ":ensemble", "-Prelease", "validate");
    Outcome unsigned =
        one.maven(
            "-pl",
            ":ensemble",
            "-Prelease",
            "-Drevision=" + VERSION,
            "-Dmaven.test.skip=true",
            "validate");

    assertThat(nothing.code()).isNotZero();
    assertThat(nothing.output())
        .contains("add -Drevision=VERSION", "add -Dgpg.keyname=KEY", "add -Dmaven.test.skip=true");
    assertThat(unsigned.code()).isNotZero();
    assertThat(unsigned.output())
        .contains("add -Dgpg.keyname=KEY, or -Dunsigned")
        .doesNotContain("add -Drevision", "add -Dmaven.test.skip");
  }

  @Test
  void anIncompatibleChangeOfThePublicApiIsFound() throws Exception {
    String[] comparison = {
      "-Dquick",
      "-Pcompatibility",
      "-Dbaseline=" + VERSION,
      "-Dbaseline.repository=" + one.directory(),
      "-Dmaven.test.skip=true",
      "-pl",
      "cache-adapters",
      "-am",
      "verify"
    };
    Path file =
        other
            .sources()
            .resolve("cache-adapters/src/main/java/io/ensemble/adapter/CompareAndSetSupport.java");

    Outcome same = other.maven(comparison);
    Files.writeString(
        file, Files.readString(file).replace("compareAndSetObstacle", "compareAndSetBarrier"));
    Outcome renamed = other.maven(comparison);

    assertThat(same.code()).as(same.output()).isZero();
    assertThat(renamed.code()).isNotZero();
    assertThat(renamed.output()).contains("compareAndSetObstacle", "METHOD_REMOVED");
  }

  /** All that it takes from this build is staged: its local repository is empty, and its home. */
  @Test
  void anApplicationIsBuiltFromTheStagedModulesAndWorksInAllModes() throws Exception {
    Path sources = directory.resolve("application");
    SourceCopy.copy(one.sources().resolve("examples/stock"), sources);
    Path home = Files.createDirectory(directory.resolve("home"));
    Path local = directory.resolve("local-repository");
    assertThat(MAVEN_HOME.resolve("repository/io/ensemble/ensemble-core").resolve(VERSION))
        .doesNotExist();

    Outcome built =
        StagedRepository.run(
            sources,
            one.sources().resolve("mvnw").toString(),
            "-B",
            "-Duser.home=" + home,
            "-Dmaven.repo.local=" + local,
            "-Dmaven.repo.local.tail=" + MAVEN_HOME.resolve("repository"),
            "-Densemble.version=" + VERSION,
            "-Densemble.repository=file://" + one.directory(),
            "package");

    assertThat(built.code()).as(built.output()).isZero();
    assertThat(local.resolve("io/ensemble/ensemble-core").resolve(VERSION)).isDirectory();
    assertThat(runOnFederation(sources.resolve("target")))
        .contains("WEAK: 97", "SWMR: 97", "MWMR: 97");
  }

  private static String runOnFederation(Path built) throws Exception {
    FederationFile file = FederationFile.at(directory.resolve("federation.json"));
    UpProcess up = UpProcess.started(file, "--processes", "--sites", "3", "--nodes", "1");
    try {
      up.published();
      Outcome ran =
          StagedRepository.run(
              directory,
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "-cp",
              built.resolve("stock-1.0.0.jar") + ":" + built.resolve("lib") + "/*",
              "com.example.stock.StockExample",
              file.read().catalog());
      assertThat(ran.code()).as(ran.output()).isZero();
      return ran.output();
    } finally {
      up.stop();
    }
  }

  private static List<String> different(
      SortedMap<String, Path> files, SortedMap<String, Path> others) throws IOException {
    List<String> different = new ArrayList<>();
    for (String name : files.keySet()) {
      if (Files.mismatch(files.get(name), others.get(name)) >= 0) {
        different.add(name);
      }
    }
    return different;
  }

  private static List<String> ensembleDependencies(String artifact) throws IOException {
    List<String> found = new ArrayList<>();
    String pom = one.pom(artifact);
    int dependencies = pom.indexOf("<dependenc");
    Matcher matcher = DEPENDENCY.matcher(dependencies < 0 ? "" : pom.substring(dependencies));
    while (matcher.find()) {
      assertThat(matcher.group(2)).isEqualTo(VERSION);
      found.add(matcher.group(1));
    }
    return found;
  }

  private static String moduleName(String artifact) {
    return switch (artifact) {
      case "ensemble-cache-adapters" -> "io.ensemble.adapter";
      case "ensemble-atomic-objects" -> "io.ensemble.objects";
      case "ensemble-collections" -> "io.ensemble.collection";
      case "ensemble-heat-map" -> "io.ensemble.heat";
      case "ensemble-near-cache" -> "io.ensemble.near";
      case "ensemble-register-objects" -> "io.ensemble.registers";
      case "ensemble-shared-tree" -> "io.ensemble.tree";
      case "ensemble-spring-boot-starter" -> "io.ensemble.spring";
      default -> "io.ensemble." + artifact.substring("ensemble-".length());
    };
  }

  private static Outcome gpg(String... arguments) throws IOException, InterruptedException {
    List<String> all =
        new ArrayList<>(
            List.of("--homedir", directory.resolve("keys").toString(), "--passphrase", ""));
    all.addAll(Arrays.asList(arguments));
    return StagedRepository.run(directory, "gpg", "--batch", all.toArray(String[]::new));
  }
}
