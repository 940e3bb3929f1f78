package io.ensemble.deploy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/** Stages a distribution, as a step of the build. */
public final class StagingMain {

  private static final int FIRST_JAR = 5;

  private StagingMain() {}

  /**
   * @param arguments the root of the repository, the directory of the stage, that of further files
   *     of a Debian package, the version and its time, and jars of programs, whose manifests name
   *     the other jars; the first of them is the command line
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    List<Path> programs = Stream.of(arguments).skip(FIRST_JAR).map(Path::of).toList();
    Path repository = Path.of(arguments[0]);
    Path stage = Path.of(arguments[1]);
    new Staging(repository, stage, arguments[3]).stage(programs);
    new DebianStaging(
            repository, stage, Path.of(arguments[2]), arguments[3], Instant.parse(arguments[4]))
        .stage();
  }
}
