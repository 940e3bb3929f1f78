package io.ensemble.cli.backup.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.process.child.ProcessResumer;
import io.ensemble.testkit.process.child.Signals;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * S3Proxy in a process, which checks signatures and keeps its objects in memory. While it runs, the
 * credentials of this JVM are those of the server.
 */
public final class S3ServerProcess implements AutoCloseable {

  public static final String ACCESS_KEY = "test-access-key";
  public static final String SECRET_KEY = "test-secret-key";

  private static final String LIBRARIES = "ensemble.s3server";
  private static final Duration LONGEST_START = Duration.ofMinutes(2);

  private final Process process;
  private final URI endpoint;
  private @Nullable ProcessResumer resumer;

  private S3ServerProcess(Process process, URI endpoint) {
    this.process = process;
    this.endpoint = endpoint;
  }

  /**
   * Starts a server on a free port.
   *
   * @param directory for its configuration and its log
   */
  public static S3ServerProcess start(Path directory) throws IOException {
    Path jar =
        Path.of(System.getProperty(LIBRARIES, "../s3-process/target/lib"))
            .resolve("ensemble-s3-process.jar");
    assertThat(jar).as("'./mvnw -pl s3-process package' makes it").exists();
    int port = Ports.reserve(1);
    URI endpoint = URI.create("http://127.0.0.1:" + port);
    Path settings =
        Files.write(
            directory.resolve("s3proxy.properties"),
            List.of(
                "s3proxy.endpoint=" + endpoint,
                "s3proxy.authorization=aws-v2-or-v4",
                "s3proxy.identity=" + ACCESS_KEY,
                "s3proxy.credential=" + SECRET_KEY,
                "jclouds.provider=transient"));
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx192m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dorg.slf4j.simpleLogger.logFile=System.out",
                "-cp",
                jar.toString(),
                "org.gaul.s3proxy.Main",
                "--properties",
                settings.toString())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("s3proxy.log").toFile())
            .start();
    System.setProperty("aws.accessKeyId", ACCESS_KEY);
    System.setProperty("aws.disableEc2Metadata", "true");
    useSecretKey(SECRET_KEY);
    S3ServerProcess server = new S3ServerProcess(process, endpoint);
    try {
      await().atMost(LONGEST_START).until(() -> !process.isAlive() || isListening(port));
      assertThat(process.isAlive()).as(() -> read(directory.resolve("s3proxy.log"))).isTrue();
      return server;
    } catch (RuntimeException | Error e) {
      server.close();
      throw e;
    }
  }

  private static String read(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isListening(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  public URI endpoint() {
    return endpoint;
  }

  /** A client of the test, beside the one that is tested. */
  public S3Client client() {
    return S3Client.builder()
        .httpClientBuilder(UrlConnectionHttpClient.builder())
        .endpointOverride(endpoint)
        .region(Region.US_EAST_1)
        .forcePathStyle(true)
        .credentialsProvider(
            StaticCredentialsProvider.create(AwsBasicCredentials.create(ACCESS_KEY, SECRET_KEY)))
        .build();
  }

  /** Uses another secret key for clients that are opened from now on. */
  static void useSecretKey(String secret) {
    System.setProperty("aws.secretAccessKey", secret);
  }

  /** Stops the server, which then accepts connections and is silent. */
  public void stop() {
    resumer = ProcessResumer.of(process.pid());
    Signals.stop(process.pid());
  }

  /** Lets a server that was stopped go on. */
  public void resume() {
    if (resumer != null) {
      resumer.close();
      resumer = null;
    }
  }

  @Override
  public void close() {
    for (String name : List.of("accessKeyId", "secretAccessKey", "disableEc2Metadata")) {
      System.clearProperty("aws." + name);
    }
    resume();
    process.destroyForcibly();
    try {
      process.waitFor(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
