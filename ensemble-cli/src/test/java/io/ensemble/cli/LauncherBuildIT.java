package io.ensemble.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The launcher builds a copy of the sources without any build output, and runs. */
@Tag("nightly")
class LauncherBuildIT {
  private static final Set<String> NOT_COPIED = Set.of("target", ".git", "node_modules");

  @TempDir Path directory;

  @Test
  @Timeout(600)
  void theFirstCommandBuildsWhatItNeeds() throws Exception {
    Path copy = directory.resolve("copy of sources");
    copy(Path.of("..", "ensemble").toRealPath().getParent(), copy);
    Path out = directory.resolve("out");
    Path errors = directory.resolve("errors");

    Process process =
        new ProcessBuilder(copy.resolve("ensemble").toString(), "--version")
            .redirectOutput(out.toFile())
            .redirectError(errors.toFile())
            .start();

    assertThat(process.waitFor(540, TimeUnit.SECONDS)).as("in time").isTrue();
    assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
    assertThat(Files.readString(out)).containsIgnoringCase("ensemble");
  }

  private static void copy(Path root, Path to) throws IOException {
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path from, BasicFileAttributes attributes)
              throws IOException {
            if (NOT_COPIED.contains(String.valueOf(from.getFileName()))) {
              return FileVisitResult.SKIP_SUBTREE;
            }
            Files.createDirectories(to.resolve(root.relativize(from)));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.copy(file, to.resolve(root.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
