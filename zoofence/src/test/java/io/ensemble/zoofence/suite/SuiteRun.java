package io.ensemble.zoofence.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs published test classes, each in a process of its own.
 *
 * @param directory the directory of the processes
 * @param options further options of Java
 * @param archives further archives with classes
 */
record SuiteRun(Path directory, List<String> options, List<Path> archives) {
  private static final int LONGEST_MINUTES = 30;
  private static final String SUCCESS = "RESULT SUCCESSFUL ";

  /** Runs these classes, and returns the tests that pass, as {@code Class.test()}. */
  Set<String> passed(List<String> classes) throws IOException, InterruptedException {
    var passed = new TreeSet<String>();
    for (String one : classes) {
      long begun = System.nanoTime();
      Set<String> now = read(run(one));
      long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun);
      System.out.printf(
          "%s: %d tests of %s pass, %d s%n", directory.getFileName(), now.size(), one, seconds);
      passed.addAll(now);
    }
    return passed;
  }

  private Path run(String tests) throws IOException, InterruptedException {
    Path home = Files.createDirectories(directory.resolve(tests));
    Path out = home.resolve("out");
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Dbuild.test.dir=" + home);
    command.add("-Dtest.data.dir=" + home);
    command.add("-Djava.io.tmpdir=" + home);
    command.add("-Dzookeeper.admin.enableServer=false");
    command.add("-Dzookeeper.4lw.commands.whitelist=*");
    command.add("-Dzookeeper.extendedTypesEnabled=true");
    command.addAll(options);
    command.add("-cp");
    command.add(
        Stream.concat(archives.stream().map(Path::toString), Stream.of(classPath()))
            .collect(Collectors.joining(File.pathSeparator)));
    command.add(SuiteProcess.class.getName());
    command.add(tests);
    Process process =
        new ProcessBuilder(command)
            .directory(home.toFile())
            .redirectOutput(out.toFile())
            .redirectErrorStream(true)
            .start();
    try {
      assertThat(process.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES)).as(tests + " ends").isTrue();
    } finally {
      process.destroyForcibly();
    }
    return out;
  }

  /** The class path of this process. */
  static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  private static Set<String> read(Path out) throws IOException {
    var passed = new TreeSet<String>();
    for (String line : Files.readAllLines(out, StandardCharsets.ISO_8859_1)) {
      if (line.startsWith(SUCCESS)) {
        passed.add(line.substring(SUCCESS.length()));
      }
    }
    return passed;
  }
}
