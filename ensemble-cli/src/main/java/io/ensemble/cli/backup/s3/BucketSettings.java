package io.ensemble.cli.backup.s3;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How an S3-compatible store is reached.
 *
 * @param endpoint its address; empty for Amazon S3
 * @param region of the bucket; empty for that of the AWS environment or profile
 * @param timeout of an attempt of a request
 */
public record BucketSettings(Optional<URI> endpoint, Optional<String> region, Duration timeout) {

  private static final Duration LONGEST = Duration.ofHours(1);

  public BucketSettings {
    endpoint.ifPresent(
        one -> {
          if (!("http".equals(one.getScheme()) || "https".equals(one.getScheme()))
              || one.getHost() == null) {
            throw new IllegalArgumentException(
                "S3 endpoint must be http://HOST[:PORT] or https://HOST[:PORT], with a host without"
                    + " underscore; got "
                    + one);
          }
        });
    if (timeout.compareTo(Duration.ofMillis(100)) < 0 || timeout.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "S3 timeout must be in [100 ms, 1 h]; got %d ms".formatted(timeout.toMillis()));
    }
  }

  /**
   * Options, completed by the environment.
   *
   * @param environment returns the value of a variable, or null
   */
  public static BucketSettings of(
      @Nullable String endpoint,
      @Nullable String region,
      Duration timeout,
      UnaryOperator<@Nullable String> environment) {
    Optional<URI> address =
        Optional.ofNullable(endpoint)
            .or(() -> variable(environment, "AWS_ENDPOINT_URL_S3"))
            .or(() -> variable(environment, "AWS_ENDPOINT_URL"))
            .map(BucketSettings::address);
    return new BucketSettings(address, Optional.ofNullable(region), timeout);
  }

  /** Messages name the endpoint, and a password in it is not to be in any. */
  private static URI address(String text) {
    if (text.contains("@")) {
      throw new IllegalArgumentException(
          "S3 endpoint must have no user or password; use AWS_ACCESS_KEY_ID and"
              + " AWS_SECRET_ACCESS_KEY");
    }
    return URI.create(text);
  }

  private static Optional<String> variable(
      UnaryOperator<@Nullable String> environment, String name) {
    return Optional.ofNullable(environment.apply(name)).filter(value -> !value.isEmpty());
  }
}
