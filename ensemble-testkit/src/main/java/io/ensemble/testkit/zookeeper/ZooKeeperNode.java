package io.ensemble.testkit.zookeeper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;

/**
 * One ZooKeeper server on the loopback interface, in this JVM. Acknowledged writes are on disk, and
 * there again when a node is started on the same directory. Start and stop it from one thread.
 */
public final class ZooKeeperNode implements AutoCloseable {

  private static final long PATIENCE_MILLIS = TimeUnit.SECONDS.toMillis(30);

  /** A copy of its settings, which each start makes and none removes. */
  private static final String SETTINGS = "zookeeper.configuration*.properties";

  private final ZooKeeperServerEmbedded server;
  private final int port;

  private ZooKeeperNode(ZooKeeperServerEmbedded server, int port) {
    this.server = server;
    this.port = port;
  }

  /**
   * Starts a server, and waits until it serves.
   *
   * @param directory the data directory; created if absent
   * @param port a free port
   * @throws IllegalStateException if it does not start
   */
  public static ZooKeeperNode start(Path directory, int port) {
    return start(directory, port, Map.of());
  }

  /**
   * The same with further ZooKeeper settings. Settings for TLS become properties of the whole JVM,
   * for its clients too: pass them to a {@link ZooKeeperProcess}.
   */
  public static ZooKeeperNode start(Path directory, int port, Map<String, String> more) {
    Properties settings = new Properties();
    settings.setProperty("dataDir", directory.resolve("data").toString());
    settings.setProperty("clientPort", Integer.toString(port));
    settings.setProperty("clientPortAddress", "127.0.0.1");
    settings.setProperty("admin.enableServer", "false");
    settings.setProperty("4lw.commands.whitelist", "");
    settings.setProperty("tickTime", "1000");
    settings.setProperty("maxClientCnxns", "0");
    settings.setProperty("preAllocSize", "1024"); // KB; 64 MB by default.
    settings.putAll(more);
    try {
      Files.createDirectories(directory);
      removeAll(directory, SETTINGS);
      ZooKeeperServerEmbedded server =
          ZooKeeperServerEmbedded.builder()
              .baseDir(directory)
              .configuration(settings)
              .exitHandler(ExitHandler.LOG_ONLY)
              .build();
      try {
        server.start(PATIENCE_MILLIS);
      } catch (Exception e) {
        server.close();
        throw new IllegalStateException(
            "ZooKeeper did not start; port=%d directory=%s".formatted(port, directory), e);
      }
      return new ZooKeeperNode(server, port);
    } catch (IllegalStateException e) {
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (Exception e) { // The builder declares no other.
      throw new IllegalStateException("ZooKeeper did not start; directory=" + directory, e);
    }
  }

  /**
   * Removes the files of a stopped node from a directory, and the directory if it is then empty.
   *
   * @throws IOException if a file cannot be removed
   */
  public static void remove(Path directory) throws IOException {
    Path versions = directory.resolve("data").resolve("version-2");
    removeAll(versions, "{log,snapshot}.*");
    removeAll(directory, SETTINGS);
    for (Path left : List.of(versions, directory.resolve("data"), directory)) {
      if (Files.isDirectory(left)) {
        try (Stream<Path> inside = Files.list(left)) {
          if (inside.findAny().isPresent()) {
            return; // The directory holds other files.
          }
        }
        Files.delete(left);
      }
    }
  }

  private static void removeAll(Path directory, String pattern) throws IOException {
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, pattern)) {
        for (Path file : files) {
          Files.delete(file);
        }
      }
    }
  }

  /** The address for clients. */
  public String connectString() {
    return "127.0.0.1:" + port;
  }

  /** Stops the server in an orderly way. */
  @Override
  public void close() {
    server.close();
  }
}
