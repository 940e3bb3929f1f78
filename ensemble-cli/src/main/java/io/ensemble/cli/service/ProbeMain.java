package io.ensemble.cli.service;

import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.URI;

/**
 * Asks a service of this host whether it is ready, for the health check of a container: {@code
 * http://HOST:PORT} is a REST service, {@code zk://HOST:PORT} a proxy of ZooFence, which is ready
 * if it answers. Exit code 0: it is ready; 1: it is not, or did not answer within ten seconds; 2:
 * the address is none of these. It loads no library, because it starts every few seconds.
 */
public final class ProbeMain {

  private static final int NOT_READY = 1;
  private static final int USAGE = 2;

  private ProbeMain() {}

  /**
   * @param arguments the address of the service
   */
  public static void main(String[] arguments) {
    System.exit(exitCode(System.err, arguments));
  }

  static int exitCode(PrintStream errors, String... arguments) {
    try {
      if (arguments.length == 1) {
        return probe(URI.create(arguments[0])).isReady() ? 0 : NOT_READY;
      }
    } catch (IllegalArgumentException e) {
      // The address is not valid.
    }
    errors.println(
        "expected one argument, http[s]://HOST:PORT or zk://HOST:PORT; got "
            + String.join(" ", arguments));
    return USAGE;
  }

  private static HealthProbe probe(URI address) {
    if (address.getHost() == null || address.getPort() < 0) {
      throw new IllegalArgumentException("no host or no port: " + address);
    }
    return switch (String.valueOf(address.getScheme())) {
      case "http", "https" -> new HttpProbe(address);
      case "zk" -> new FourLetterProbe(new InetSocketAddress(address.getHost(), address.getPort()));
      default -> throw new IllegalArgumentException("unknown scheme: " + address);
    };
  }
}
