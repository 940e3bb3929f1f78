package io.ensemble.cli.backup.s3;

import io.ensemble.cli.backup.format.BackupStoreException;
import java.util.Optional;
import java.util.function.Supplier;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Makes requests, and says in one line what failed, where, and what to do. */
final class BucketRequests {

  static final int NOT_FOUND = 404;
  static final int PRECONDITION_FAILED = 412;

  /** Another conditional write was under way, and a repeated one shows which of them succeeded. */
  static final int CONFLICT = 409;

  private final String bucket;
  private final String endpoint;

  BucketRequests(String bucket, String endpoint) {
    this.bucket = bucket;
    this.endpoint = endpoint;
  }

  /** Makes a request; an object that does not exist is an error. */
  <T> T require(String what, String key, Supplier<T> request) {
    try {
      return request.get();
    } catch (SdkException e) {
      throw failure(what, key, e);
    }
  }

  /** Makes a request; empty if the object does not exist. */
  <T> Optional<T> find(String what, String key, Supplier<T> request) {
    try {
      return Optional.of(request.get());
    } catch (S3Exception e) {
      if (e.statusCode() == NOT_FOUND && !code(e).equals("NoSuchBucket")) {
        return Optional.empty();
      }
      throw failure(what, key, e);
    } catch (SdkException e) {
      throw failure(what, key, e);
    }
  }

  BackupStoreException failure(String what, String key, SdkException e) {
    if (e instanceof S3Exception refused && code(refused).equals("NoSuchUpload")) {
      return new BackupStoreException(
          "another run writes this backup, and this one ends; bucket=%s key=%s endpoint=%s"
              .formatted(bucket, key, endpoint),
          e);
    }
    return new BackupStoreException(
        "cannot %s: %s; bucket=%s key=%s endpoint=%s; %s"
            .formatted(what, reason(e), bucket, key, endpoint, remedy(e)),
        e);
  }

  static String code(S3Exception e) {
    AwsErrorDetails details = e.awsErrorDetails();
    return details == null || details.errorCode() == null ? "" : details.errorCode();
  }

  private static String reason(SdkException e) {
    if (e instanceof S3Exception refused) {
      String code = code(refused);
      AwsErrorDetails details = refused.awsErrorDetails();
      String message = details == null ? null : details.errorMessage();
      return "%s (status %d)%s"
          .formatted(
              code.isEmpty() ? "refused" : code,
              refused.statusCode(),
              message == null || message.isEmpty() ? "" : ": " + oneLine(message));
    }
    Throwable cause = e;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    String first = oneLine(String.valueOf(e.getMessage()));
    return cause == e
        ? first
        : "%s (%s: %s)"
            .formatted(
                first,
                cause.getClass().getSimpleName(),
                oneLine(String.valueOf(cause.getMessage())));
  }

  private static String oneLine(String text) {
    String line = text.replaceAll("\\s+", " ").strip();
    return line.length() <= 300 ? line : line.substring(0, 300) + "…";
  }

  private static String remedy(SdkException e) {
    if (!(e instanceof S3Exception refused)) {
      return "check the endpoint, the network and the credentials, then repeat the command, with"
          + " --resume if it was 'backup create'";
    }
    switch (code(refused)) {
      case "NoSuchBucket":
        return "create the bucket, or correct its name";
      case "PermanentRedirect",
      "AuthorizationHeaderMalformed",
      "IllegalLocationConstraintException":
        return "set the region of the bucket with --s3-region or AWS_REGION";
      default:
    }
    return switch (refused.statusCode()) {
      case 401, 403 ->
          "check the credentials (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE) and"
              + " that they may list, read, write and delete in the bucket";
      case 301, 307 -> "set the region of the bucket with --s3-region or AWS_REGION";
      case NOT_FOUND -> "check the bucket and the prefix";
      case 501 -> "the store must support conditional writes and multipart uploads";
      default -> "repeat the command later, with --resume if it was 'backup create'";
    };
  }
}
