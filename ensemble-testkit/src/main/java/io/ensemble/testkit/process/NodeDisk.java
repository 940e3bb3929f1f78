package io.ensemble.testkit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The disk that one node on this machine keeps its entries on, as it is now.
 *
 * @param site the node's site
 * @param node its number in the site, from 0
 * @param directory where it keeps what it has
 * @param freeBytes what is free there
 * @param reserveBytes what the node keeps free; 0 for nothing
 * @param silent whether it says that it answers no client, because less is, or was, free
 */
public record NodeDisk(
    String site, int node, Path directory, long freeBytes, long reserveBytes, boolean silent) {

  /**
   * Those of the nodes of a federation that keeps its entries in a directory, by site and number;
   * empty where none does.
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

  /** Whether less is free than is to be kept free. */
  public boolean isLow() {
    return silent || freeBytes < reserveBytes;
  }

  /** With so much free a node that is silent answers again. */
  public long resumeBytes() {
    return reserveBytes + reserveBytes / 2;
  }
}
