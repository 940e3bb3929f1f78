package io.ensemble.deploy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files of an installation in one directory: {@code bin}, {@code lib}, {@code docs} and {@code
 * share}. Programs whose class paths differ share {@code lib}: the manifest of each program's jar
 * names its jars, so two versions of a library are beside each other, and no jar is there twice.
 */
final class Staging {

  private static final List<String> TEXTS =
      List.of("LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "SECURITY.md");

  /** Where a build with the profile sbom has written the bill of materials. */
  private static final String SBOM = "target/sbom";

  private final Path repository;
  private final Path stage;
  private final String version;

  Staging(Path repository, Path stage, String version) {
    this.repository = repository.toAbsolutePath().normalize();
    this.stage = stage.toAbsolutePath().normalize();
    this.version = version;
  }

  /**
   * Replaces the stage.
   *
   * @param programs jars whose manifests name the other jars; the first is the command line
   */
  void stage(List<Path> programs) throws IOException, InterruptedException {
    remove(stage);
    Path lib = Files.createDirectories(stage.resolve("lib"));
    for (Path program : programs) {
      for (Path jar : classPath(program)) {
        link(jar, lib.resolve(jar.getFileName()));
      }
    }
    launchers(lib);
    texts();
    generated(lib.resolve(String.valueOf(programs.get(0).getFileName())));
  }

  /** A program's jar, and those that its manifest names. */
  static List<Path> classPath(Path program) throws IOException {
    try (JarFile jar = new JarFile(program.toFile())) {
      List<Path> jars = new ArrayList<>(List.of(program));
      String others = jar.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
      Stream.of(others.split(" ", -1)).map(program::resolveSibling).forEach(jars::add);
      return jars;
    }
  }

  /**
   * @throws IOException if another file with this name is there already
   */
  private static void link(Path from, Path to) throws IOException {
    if (!Files.exists(to)) {
      Files.createLink(to, from);
    } else if (Files.mismatch(from, to) >= 0) {
      throw new IOException("two different jars have one name: " + from + " and " + to);
    }
  }

  private void launchers(Path lib) throws IOException {
    Path from = repository.resolve("deploy/src/main/launcher");
    Path bin = Files.createDirectories(stage.resolve("bin"));
    for (String name : List.of("ensemble", "ensemble.cmd")) {
      String text = Files.readString(from.resolve(name)).replace("@version@", version);
      Files.writeString(bin.resolve(name), text);
    }
    if (File.separatorChar == '/') {
      Files.setPosixFilePermissions(
          bin.resolve("ensemble"), PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    Files.copy(from.resolve("launch.sh"), lib.resolve("launch.sh"));
    Files.copy(
        from.resolve("start-service"),
        lib.resolve("start-service"),
        StandardCopyOption.COPY_ATTRIBUTES);
  }

  private void texts() throws IOException {
    for (String name : TEXTS) {
      Files.copy(repository.resolve(name), stage.resolve(name));
    }
    copy(repository.resolve("docs"), stage.resolve("docs"));
    Path sbom = repository.resolve(SBOM);
    if (Files.isDirectory(sbom)) {
      copy(sbom, stage.resolve("share/sbom"));
    }
  }

  /** What the command line itself writes: manual pages and completion. */
  private void generated(Path commandLine) throws IOException, InterruptedException {
    Path share = stage.resolve("share");
    run(commandLine, null, "reference", "--manual-pages", share.resolve("man/man1").toString());
    Path completion = share.resolve("bash-completion/completions/ensemble");
    Files.createDirectories(completion.getParent());
    run(commandLine, completion, "generate-completion");
  }

  private static void run(Path commandLine, @Nullable Path output, String... arguments)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                commandLine.toString(),
                "io.ensemble.cli.Main"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    if (output != null) {
      builder.redirectOutput(output.toFile());
    }
    int code = builder.start().waitFor();
    if (code != 0) {
      throw new IOException("exit code " + code + " of " + String.join(" ", command));
    }
  }

  static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path copy = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
        }
      }
    }
  }

  static void remove(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
