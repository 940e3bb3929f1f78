package io.ensemble.cli.zoofence;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.site.hotrod.configuration.Secret;
import io.ensemble.zoofence.proxy.FourLetterWhitelist;
import io.ensemble.zoofence.proxy.ProxyOptions;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.BiConsumer;
import org.apache.zookeeper.common.ClientX509Util;
import org.apache.zookeeper.common.ZKConfig;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a proxy requires of its clients: TLS, certificates, limits. */
final class ProxyClientOptions {
  @Option(
      names = "--secure-port",
      paramLabel = "PORT",
      description =
          "Port for clients with TLS, as ZooKeeper's secureClientPort; 0 for any free port. "
              + "Requires --key-store, or ZooKeeper's properties zookeeper.ssl.*")
  @Nullable Integer securePort;

  @Option(names = "--secure-only", description = "Serve clients with TLS only.")
  boolean isSecureOnly;

  @Option(
      names = "--key-store",
      paramLabel = "FILE",
      description =
          "Key and certificate of the proxy: a PKCS12, JKS or PEM file. A changed file is used for "
              + "new connections.")
  @Nullable Path keyStore;

  @Option(
      names = "--key-store-password",
      paramLabel = "REF",
      description = "Password of the key store: file:PATH or env:NAME.")
  @Nullable String keyStorePassword;

  @Option(
      names = "--trust-store",
      paramLabel = "FILE",
      description = "Trusted certificates of clients: a PKCS12, JKS or PEM file.")
  @Nullable Path trustStore;

  @Option(
      names = "--trust-store-password",
      paramLabel = "REF",
      description = "Password of the trust store: file:PATH or env:NAME.")
  @Nullable String trustStorePassword;

  @Option(
      names = "--client-auth",
      paramLabel = "WHETHER",
      description =
          "Whether clients with TLS have a certificate: ${COMPLETION-CANDIDATES}, "
              + "case-insensitive; default: NEED, as ZooKeeper's ssl.clientAuth.")
  @Nullable ClientAuthentication clientAuth;

  @Option(
      names = "--max-client-connections",
      paramLabel = "N",
      defaultValue = "60",
      description =
          "Connections of one client address, as ZooKeeper's maxClientCnxns; further ones are "
              + "closed. 0 for no limit; default: 60.")
  int maxClientConnections = ProxyOptions.MAX_CLIENT_CONNECTIONS;

  @Option(
      names = "--four-letter-words",
      paramLabel = "WORDS",
      description =
          "Four-letter words to answer, separated by commas, as ZooKeeper's "
              + "4lw.commands.whitelist; * for all. Default: the property "
              + "zookeeper.4lw.commands.whitelist, or all.")
  @Nullable String words;

  /** Whether a client with TLS has to have a certificate. */
  enum ClientAuthentication {
    NONE,
    WANT,
    NEED
  }

  /**
   * The options of the proxy.
   *
   * @param host the address to bind
   * @throws CommandException if options contradict each other
   */
  ProxyOptions options(String host, int port) {
    Integer secure = securePort;
    if (maxClientConnections < 0) {
      throw new CommandException(
          ExitCode.USAGE,
          "--max-client-connections must be 0 (no limit) or more; got " + maxClientConnections);
    }
    ProxyOptions options =
        ProxyOptions.at(new InetSocketAddress(host, port))
            .maxClientConnections(maxClientConnections);
    if (words != null) {
      options = options.words(FourLetterWhitelist.parse(words));
    }
    if (secure == null) {
      if (isSecureOnly || keyStore != null || trustStore != null || clientAuth != null) {
        throw new CommandException(
            ExitCode.USAGE,
            "--secure-only, --key-store, --trust-store and --client-auth require --secure-port");
      }
      return options;
    }
    options = options.secure(new InetSocketAddress(host, secure), settings());
    return isSecureOnly ? options.secureOnly() : options;
  }

  private ZKConfig settings() {
    var names = new ClientX509Util();
    var settings = new ZKConfig();
    if (keyStore != null) {
      settings.setProperty(names.getSslKeystoreLocationProperty(), keyStore.toString());
    }
    if (trustStore != null) {
      settings.setProperty(names.getSslTruststoreLocationProperty(), trustStore.toString());
    }
    if (clientAuth != null) {
      settings.setProperty(
          names.getSslClientAuthProperty(), clientAuth.name().toLowerCase(Locale.ROOT));
    }
    password(
        keyStorePassword,
        names.getSslKeystorePasswdProperty(),
        names.getSslKeystorePasswdPathProperty(),
        settings::setProperty);
    password(
        trustStorePassword,
        names.getSslTruststorePasswdProperty(),
        names.getSslTruststorePasswdPathProperty(),
        settings::setProperty);
    return settings;
  }

  /** Sets the file of a password, which is read again with the store, or the password itself. */
  private static void password(
      @Nullable String reference,
      String property,
      String fileProperty,
      BiConsumer<String, String> settings) {
    if (reference == null) {
      return;
    }
    if (reference.startsWith("file:")) {
      settings.accept(fileProperty, reference.substring("file:".length()));
    } else if (reference.startsWith("env:")) {
      char[] password = Secret.inVariable(reference.substring("env:".length())).get();
      settings.accept(property, new String(password));
    } else {
      throw new CommandException(
          ExitCode.USAGE, "a password of a store must be file:PATH or env:NAME, never a password");
    }
  }
}
