package io.ensemble.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A copy of the sources and the repository that its release build stages.
 *
 * @param sources the copy
 * @param directory the staged repository
 * @param version of the staged artifacts
 */
record StagedRepository(Path sources, Path directory, String version) {

  private static final int LONGEST_BUILD_MINUTES = 60;

  /** The end of a program and what it printed. */
  record Outcome(int code, String output) {}

  /** What differs between two people who build the same sources with the same JDK. */
  record BuildUser(String umask, String mavenOptions) {}

  /**
   * Copies the sources and stages them. The options choose the signature.
   *
   * @param user who builds
   */
  static StagedRepository stage(Path sources, String version, BuildUser user, String... options)
      throws IOException, InterruptedException {
    SourceCopy.ofRepository(sources);
    StagedRepository staged =
        new StagedRepository(sources, sources.resolve("target/staging"), version);
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "umask \"$1\"; export MAVEN_OPTS=\"$2\"; shift 2; exec \"$@\"",
                "sh",
                user.umask(),
                user.mavenOptions(),
                sources.resolve("mvnw").toString(),
                "-B",
                "-Prelease",
                "-Drevision=" + version,
                "-Dmaven.test.skip=true",
                "clean",
                "deploy"));
    arguments.addAll(List.of(options));
    Outcome build = run(sources, "/bin/sh", "-c", arguments.toArray(String[]::new));
    if (build.code() != 0) {
      throw new IOException("the build failed:\n" + build.output());
    }
    return staged;
  }

  /** Runs Maven in the copy. */
  Outcome maven(String... arguments) throws IOException, InterruptedException {
    return run(sources, sources.resolve("mvnw").toString(), "-B", arguments);
  }

  /** Runs a program, with the JDK of this process as its own. */
  static Outcome run(Path directory, String program, String first, String... others)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program, first));
    command.addAll(Arrays.asList(others));
    Path output = Files.createTempFile("ensemble-release", ".log");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectInput(new File("/dev/null"))
              .redirectOutput(output.toFile());
      builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
      Process process = builder.start();
      try {
        if (!process.waitFor(LONGEST_BUILD_MINUTES, TimeUnit.MINUTES)) {
          throw new IOException("no end in time: " + command + "\n" + Files.readString(output));
        }
      } finally {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
      return new Outcome(process.exitValue(), Files.readString(output));
    } finally {
      Files.delete(output);
    }
  }

  /** The names of the staged artifacts, sorted. */
  List<String> artifacts() throws IOException {
    try (Stream<Path> found = Files.list(directory.resolve("io/ensemble"))) {
      return found.map(each -> each.getFileName().toString()).sorted().toList();
    }
  }

  /** A file of an artifact: {@code suffix} is what comes behind its version. */
  Path file(String artifact, String suffix) {
    return directory
        .resolve("io/ensemble")
        .resolve(artifact)
        .resolve(version)
        .resolve(artifact + "-" + version + suffix);
  }

  String pom(String artifact) throws IOException {
    return Files.readString(file(artifact, ".pom"), UTF_8);
  }

  /** All files by their paths, without lists of versions, which have the time of the staging. */
  SortedMap<String, Path> files() throws IOException {
    try (Stream<Path> found = Files.walk(directory)) {
      SortedMap<String, Path> files = new TreeMap<>();
      found
          .filter(Files::isRegularFile)
          .filter(file -> !file.getFileName().toString().startsWith("maven-metadata.xml"))
          .forEach(file -> files.put(directory.relativize(file).toString(), file));
      return files;
    }
  }
}
