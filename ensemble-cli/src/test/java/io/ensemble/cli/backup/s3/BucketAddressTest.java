package io.ensemble.cli.backup.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ensemble.cli.backup.format.BackupException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What names a bucket, and how it is reached. */
class BucketAddressTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @Test
  void anAddressIsABucketAndAPrefix() {
    BucketAddress address = BucketAddress.parse("s3://my-bucket.eu/a/b//");

    assertThat(address).isEqualTo(new BucketAddress("my-bucket.eu", "a/b"));
    assertThat(address.key("cache-0001/x")).isEqualTo("a/b/cache-0001/x");
    assertThat(address.name("a/b/cache-0001/x")).isEqualTo("cache-0001/x");
    assertThat(BucketAddress.parse("s3://abc/" + "p".repeat(512)).prefix()).hasSize(512);
    assertThat(BucketAddress.isOne("/backup/s3:")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "s3://", "s3://bucket", "s3://bucket/", "s3://bucket//a", "s3://bucket/a//b",
        "s3://bucket/../a", "s3://bucket/./a", "s3://Bucket/a", "s3://bu/a", "s3://user@bucket/a"
      })
  void anotherFormIsRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BucketAddress.parse(text))
        .withMessageContaining("must be s3://BUCKET/PREFIX")
        .withMessageContaining(text);
  }

  @Test
  void aLongPrefixIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BucketAddress.parse("s3://abc/" + "p".repeat(513)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"../outside", "/etc/passwd", "cache-0001/../../outside", ""})
  void aManifestCannotNameObjectsOutsideTheBackup(String name) {
    BucketAddress address = new BucketAddress("bucket", "prefix");

    assertThatExceptionOfType(BackupException.class).isThrownBy(() -> address.key(name));
  }

  @Test
  void anOptionIsBeforeTheEnvironment() {
    Map<String, String> all =
        Map.of("AWS_ENDPOINT_URL_S3", "http://s3:1", "AWS_ENDPOINT_URL", "http://all:2");
    Map<String, String> general = Map.of("AWS_ENDPOINT_URL", "http://all:2");

    assertThat(settings("https://option:3", all)).hasValue(URI.create("https://option:3"));
    assertThat(settings(null, all)).hasValue(URI.create("http://s3:1"));
    assertThat(settings(null, general)).hasValue(URI.create("http://all:2"));
    assertThat(settings(null, Map.of("AWS_ENDPOINT_URL", ""))).isEmpty();
    assertThat(settings(null, Map.of())).isEmpty();
  }

  private static Optional<URI> settings(String endpoint, Map<String, String> environment) {
    return BucketSettings.of(endpoint, null, TIMEOUT, environment::get).endpoint();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"minio:9000", "ftp://minio", "http:///a", "minio", "http://my_minio:9000"})
  void anEndpointIsAnAddressOfHttp(String endpoint) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(endpoint, Map.of()))
        .withMessageContaining("must be http://HOST");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://user:secret@minio:9000",
        "http://user:secret@my_minio",
        "http://u:secret @"
      })
  void anEndpointWithAPasswordIsRefusedWithoutNamingIt(String endpoint) {
    for (String variable : List.of("", "AWS_ENDPOINT_URL")) {
      String option = variable.isEmpty() ? endpoint : null;
      assertThatIllegalArgumentException()
          .isThrownBy(() -> settings(option, Map.of(variable, endpoint)))
          .withMessageContaining("AWS_SECRET_ACCESS_KEY")
          .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
    }
  }

  @Test
  void aTimeoutIsBounded() {
    for (Duration accepted : new Duration[] {Duration.ofMillis(100), Duration.ofHours(1)}) {
      assertThat(BucketSettings.of(null, null, accepted, name -> null).timeout())
          .isEqualTo(accepted);
    }
    for (Duration refused :
        new Duration[] {Duration.ofMillis(99), Duration.ofHours(1).plusMillis(1)}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> BucketSettings.of(null, null, refused, name -> null))
          .withMessageContaining("must be in [100 ms, 1 h]");
    }
  }
}
