package io.ensemble.cli;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;

/** A copy of the sources of this repository, as they are now, without any build output. */
final class SourceCopy {

  private static final Set<String> NOT_COPIED = Set.of("target", ".git", "node_modules");

  private SourceCopy() {}

  /** Copies the repository to a directory, which is made. */
  static void ofRepository(Path to) throws IOException {
    copy(Path.of("..", "ensemble").toRealPath().getParent(), to);
  }

  /** Copies a directory to another one, which is made. */
  static void copy(Path root, Path to) throws IOException {
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
