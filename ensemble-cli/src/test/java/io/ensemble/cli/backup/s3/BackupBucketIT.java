package io.ensemble.cli.backup.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliResult;
import io.ensemble.cli.backup.format.BackupException;
import io.ensemble.cli.backup.format.BackupOutput;
import io.ensemble.cli.backup.format.BackupStore;
import io.ensemble.cli.backup.format.BackupStoreException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/** Files in a bucket of a real S3 server, and the errors of servers. */
@Timeout(180)
class BackupBucketIT {

  private static final String BUCKET = "files";
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(300);

  @TempDir static Path directory;
  private static S3ServerProcess server;
  private static S3Client client;

  @BeforeAll
  static void up() throws IOException {
    server = S3ServerProcess.start(directory);
    client = server.client();
    client.createBucket(one -> one.bucket(BUCKET));
  }

  @AfterAll
  static void down() {
    client.close();
    server.close();
  }

  @Test
  void aFileIsReplacedOnlyByTheRunThatHasReadItLast() throws IOException {
    String place = "s3://" + BUCKET + "/two-runs";
    try (BackupStore first = opened(place);
        BackupStore second = opened(place)) {
      first.save("manifest", bytes("1"));
      first.save("manifest", bytes("2"));
      assertThatExceptionOfType(BackupException.class)
          .as("a file that this run has not read")
          .isThrownBy(() -> second.save("manifest", bytes("other")))
          .withMessageContaining("another run writes this backup")
          .withMessageContaining("key=two-runs/manifest");

      assertThat(second.load("manifest")).hasValue(bytes("2"));
      second.save("manifest", bytes("3"));
      assertThatExceptionOfType(BackupException.class)
          .as("a file that another run has written since")
          .isThrownBy(() -> first.save("manifest", bytes("4")));
      second.delete("manifest");
      assertThatExceptionOfType(BackupException.class)
          .as("a file that another run has deleted since")
          .isThrownBy(() -> first.save("manifest", bytes("5")));
    }
  }

  @Test
  void aConflictIsRepeatedAndAStoreThatIgnoresConditionsIsRefused() throws IOException {
    try (CarelessStore careless = new CarelessStore(1);
        BackupStore store = opened("s3://" + BUCKET + "/careless", careless.endpoint())) {
      store.save("manifest", bytes("1"));
      assertThat(careless.writes()).isEqualTo(2);

      assertThatExceptionOfType(BackupStoreException.class)
          .isThrownBy(store::claim)
          .withMessageContaining("the store ignores the conditions of a write");
    }
  }

  @Test
  void conflictsWithoutEndAreAnError() throws IOException {
    try (CarelessStore careless = new CarelessStore(100);
        BackupStore store = opened("s3://" + BUCKET + "/careless", careless.endpoint())) {
      assertThatExceptionOfType(BackupStoreException.class)
          .isThrownBy(() -> store.save("manifest", bytes("1")))
          .withMessageContaining("ConditionalRequestConflict (status 409)");
      assertThat(careless.writes()).isEqualTo(3);
    }
  }

  /** Accepts every write, whatever its condition, after some conflicts. */
  private static final class CarelessStore implements AutoCloseable {

    private final AtomicInteger writes = new AtomicInteger();
    private final HttpServer http =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);

    CarelessStore(int conflicts) throws IOException {
      http.createContext(
          "/",
          exchange -> {
            exchange.getRequestBody().readAllBytes();
            boolean isConflict =
                exchange.getRequestMethod().equals("PUT") && writes.incrementAndGet() <= conflicts;
            byte[] answer =
                bytes(isConflict ? "<Error><Code>ConditionalRequestConflict</Code></Error>" : "");
            exchange.getResponseHeaders().add("ETag", "\"1\"");
            exchange.sendResponseHeaders(
                isConflict ? 409 : 200, answer.length == 0 ? -1 : answer.length);
            if (answer.length > 0) {
              exchange.getResponseBody().write(answer);
            }
            exchange.close();
          });
      http.start();
    }

    URI endpoint() {
      return URI.create("http://127.0.0.1:" + http.getAddress().getPort());
    }

    int writes() {
      return writes.get();
    }

    @Override
    public void close() {
      http.stop(0);
    }
  }

  @Test
  void aFileIsReadAsOfOneWriteOnly() throws IOException {
    byte[] content = new byte[BackupBucket.REQUEST_BYTES + 1];
    try (BackupStore store = opened("s3://" + BUCKET + "/changed")) {
      try (BackupOutput out = store.create("a")) {
        out.write(content);
        out.complete();
      }
      try (InputStream in = store.read("a")) {
        assertThat(in.readNBytes(10)).hasSize(10);
        content[0] = 1;
        client.putObject(
            one -> one.bucket(BUCKET).key("changed/a"), RequestBody.fromBytes(content));
        assertThatExceptionOfType(BackupStoreException.class).isThrownBy(in::readAllBytes);
      }
    }
  }

  @Test
  void aMissingFileIsNone() throws IOException {
    try (BackupStore store = opened("s3://" + BUCKET + "/empty")) {
      assertThat(store.size("a")).isEmpty();
      assertThat(store.load("a")).isEmpty();
      assertThatExceptionOfType(BackupStoreException.class)
          .isThrownBy(() -> store.read("a"))
          .withMessageContaining("missing")
          .withMessageContaining("key=empty/a");
      store.delete("a");
      store.claim();
      for (String directory : List.of("empty/", "empty/cache-0001/")) { // As consoles make them.
        client.putObject(
            one -> one.bucket(BUCKET).key(directory), RequestBody.fromBytes(new byte[0]));
      }
      try (Stream<String> names = store.names()) {
        assertThat(names).as("neither directories nor what the test of conditions wrote").isEmpty();
      }
    }
  }

  @Test
  void aLargeFileIsWrittenInPartsAndAnAbandonedOneIsNone() throws IOException {
    byte[] content = new byte[(20 << 20) + 3];
    new Random(7).nextBytes(content);
    try (BackupStore store = opened("s3://" + BUCKET + "/large")) {
      try (BackupOutput out = store.create("a")) {
        out.write(content);
        out.complete();
      }
      BackupOutput abandoned = store.create("b");
      abandoned.write(content);
      assertThat(uploads()).isOne();
      assertThat(store.size("b")).isEmpty();
      store.removeIncomplete();
      assertThat(uploads()).isZero();
      assertThatThrownBy(abandoned::complete)
          .isInstanceOf(BackupStoreException.class)
          .hasMessageContaining("another run writes this backup");
      try (BackupOutput other = store.create("c")) {
        other.write(content);
      }
      assertThat(uploads()).isZero();

      try (InputStream in = store.read("a")) {
        assertThat(in.readAllBytes()).isEqualTo(content);
      }
      assertThat(store.size("a")).hasValue(content.length);
      try (Stream<String> names = store.names()) {
        assertThat(names).containsExactly("a");
      }
    }
  }

  private static int uploads() {
    return client.listMultipartUploads(all -> all.bucket(BUCKET)).uploads().size();
  }

  @Test
  void wrongCredentialsAndAnAbsentBucketAreNamed() {
    String place = "s3://" + BUCKET + "/nothing";
    assertThat(run("backup", "list", place).err())
        .contains("there is no backup", "bucket=" + BUCKET, "prefix=nothing");
    assertThat(run("backup", "list", "s3://absent-bucket/monday").err())
        .contains("NoSuchBucket", "bucket=absent-bucket", "create the bucket");
    S3ServerProcess.useSecretKey("wrong");
    try {
      assertThat(run("backup", "verify", place).err())
          .contains("SignatureDoesNotMatch", "key=nothing/manifest.json", "check the credentials");
    } finally {
      S3ServerProcess.useSecretKey(S3ServerProcess.SECRET_KEY);
    }
  }

  @Test
  void aServerThatNeverAnswersEndsTheCommand() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      CliResult ended =
          CliResult.ensemble(
              "backup",
              "list",
              "s3://" + BUCKET + "/monday",
              "--s3-endpoint",
              "http://127.0.0.1:" + silent.getLocalPort(),
              "--s3-timeout",
              SHORT.toMillis() + "ms");

      assertThat(ended.code()).isEqualTo(ExitCode.FAILED);
      assertThat(ended.err())
          .contains("cannot read the object", "key=monday/manifest.json", "check the endpoint");
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static BackupStore opened(String place) {
    return opened(place, server.endpoint());
  }

  private static BackupStore opened(String place, URI endpoint) {
    return BackupBucket.open(
        BucketAddress.parse(place),
        new BucketSettings(Optional.of(endpoint), Optional.of("us-east-1"), TIMEOUT));
  }

  private static CliResult run(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--s3-endpoint");
    all.add(server.endpoint().toString());
    return CliResult.ensemble(all);
  }
}
