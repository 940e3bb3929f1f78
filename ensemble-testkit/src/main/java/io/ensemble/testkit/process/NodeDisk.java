package io.ensemble.testkit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The disk on which one node on this machine stores its entries, in its present state.
 *
 * @param site the node's site
 * @param node its index in the site, from 0
 * @param directory the data directory
 * @param freeBytes the free space of the disk
 * @param reserveBytes the free space that the node requires; 0 for none
 * @param silent whether the node reports that it answers no client, because less space is, or was,
 *     free
 */
public record NodeDisk(
    String site, int node, Path directory, long freeBytes, long reserveBytes, boolean silent) {

  /**
   * The disks of the nodes of a federation that persists in a directory, by site and index; empty
   * if none does.
   *
   * @throws UncheckedIOException if the directory cannot be read
   */
  public static List<NodeDisk> in(Path federation) {
    if (!Files.exists(federation.resolve("federation.json"))) {
      return List.of();
    }
    try (Stream<Path> sites = Files.list(federation)) {
      return sites.filter(Files::isDirectory).sorted().flatMap(NodeDisk::ofSite).toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot be read: " + federation + ": " + e, e);
    }
  }

  private static Stream<NodeDisk> ofSite(Path site) {
    return Stream.iterate(0, number -> number + 1)
        .takeWhile(number -> Files.isDirectory(site.resolve(String.valueOf(number))))
        .map(number -> of(site, number));
  }

  private static NodeDisk of(Path site, int number) {
    NodeFiles files = new NodeFiles(site.resolve(String.valueOf(number)));
    return new NodeDisk(
        String.valueOf(site.getFileName()),
        number,
        files.root(),
        files.freeBytes(),
        files.diskReserve(),
        files.diskLow().isPresent());
  }

  /** The present state of the same disk. */
  public NodeDisk readAgain() {
    return of(Objects.requireNonNull(directory.getParent()), node);
  }

  /** Whether less space is free than required. */
  public boolean isLow() {
    return silent || freeBytes < reserveBytes;
  }

  /** The free space at which a silent node answers again. */
  public long resumeBytes() {
    return reserveBytes + reserveBytes / 2;
  }
}
