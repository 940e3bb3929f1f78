package io.ensemble.zoofence.proxy;

import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.apache.zookeeper.common.ClientX509Util;
import org.apache.zookeeper.common.X509Exception;
import org.apache.zookeeper.common.ZKConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys and certificates by which a proxy serves TLS. They are read by ZooKeeper's own code, and
 * read again for the first connection after a file has changed. ZooKeeper reads them for each
 * connection. While a changed file cannot be read, new connections use the former keys.
 * Thread-safe.
 */
final class TlsContext {
  private static final Logger log = LoggerFactory.getLogger(TlsContext.class);

  /** A file as it was when it was read: if one of these values differs, the file has changed. */
  private record FileState(String path, long modifiedMillis, long bytes) {}

  private final ClientX509Util names = new ClientX509Util();
  private final ZKConfig settings;
  private List<FileState> readStates;
  private SslContext context;

  /**
   * @throws IllegalArgumentException if the keys or certificates cannot be read
   */
  TlsContext(ZKConfig settings) {
    this.settings = settings;
    if (settings.getProperty(names.getSslKeystoreLocationProperty(), "").isEmpty()) {
      throw new IllegalArgumentException(
          "TLS requires a key store: " + names.getSslKeystoreLocationProperty());
    }
    readStates = listStates();
    try {
      context = read();
    } catch (X509Exception | SSLException | RuntimeException e) {
      throw new IllegalArgumentException("TLS cannot be served: " + e.getMessage(), e);
    }
  }

  private SslContext read() throws X509Exception, SSLException {
    return names.createNettySslContextForServer(settings);
  }

  /** The context for a new connection. */
  synchronized SslContext current() {
    List<FileState> states = listStates();
    if (!states.equals(readStates)) {
      readStates = states;
      try {
        context = read();
      } catch (X509Exception | SSLException | RuntimeException e) {
        log.warn("Changed keys or certificates cannot be read; the former ones are used", e);
      }
    }
    return context;
  }

  private List<FileState> listStates() {
    return Stream.of(
            names.getSslKeystoreLocationProperty(),
            names.getSslKeystorePasswdPathProperty(),
            names.getSslTruststoreLocationProperty(),
            names.getSslTruststorePasswdPathProperty())
        .map(settings::getProperty)
        .filter(Objects::nonNull)
        .filter(path -> !path.isEmpty())
        .map(TlsContext::state)
        .filter(Objects::nonNull)
        .toList();
  }

  private static @Nullable FileState state(String path) {
    try {
      Path file = Path.of(path);
      return new FileState(path, Files.getLastModifiedTime(file).toMillis(), Files.size(file));
    } catch (IOException e) {
      return null; // The file is gone; the former content is used until there is a file again.
    }
  }
}
