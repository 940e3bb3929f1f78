package io.ensemble.cli.backup;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.backup.format.BackupDirectory;
import io.ensemble.cli.backup.format.BackupStore;
import io.ensemble.cli.backup.s3.BackupBucket;
import io.ensemble.cli.backup.s3.BucketAddress;
import io.ensemble.cli.backup.s3.BucketSettings;
import io.ensemble.cli.option.DurationConverter;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The location of a backup. */
public final class BackupStoreOption {

  @Parameters(
      paramLabel = "LOCATION",
      description =
          "Location of the backup: a directory, which only its owner can read, or s3://BUCKET/PREFIX.")
  String location = "";

  @Option(
      names = "--s3-endpoint",
      paramLabel = "URL",
      description =
          "Address of an S3-compatible store, such as https://minio.example:9000; the bucket is in"
              + " the path. Default: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, else Amazon S3.")
  @Nullable String endpoint;

  @Option(
      names = "--s3-region",
      paramLabel = "REGION",
      description =
          "Region of the bucket; default: AWS_REGION, else the profile's, else us-east-1 with an"
              + " endpoint.")
  @Nullable String region;

  @Option(
      names = "--s3-timeout",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      defaultValue = "60s",
      description =
          "Timeout of an attempt of a request, which is made up to 3 times; default:"
              + " ${DEFAULT-VALUE}.")
  Duration timeout = Duration.ofSeconds(60);

  /** Opens the location; nothing is read or written yet. The caller closes it. */
  BackupStore open() {
    if (!BucketAddress.isOne(location)) {
      try {
        return new BackupDirectory(Path.of(location));
      } catch (InvalidPathException e) {
        throw new CommandException(ExitCode.USAGE, "no name of a directory: " + e.getMessage());
      }
    }
    try {
      return BackupBucket.open(
          BucketAddress.parse(location),
          BucketSettings.of(endpoint, region, timeout, System::getenv));
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()));
    }
  }

  /** Refuses files that are too large for the location. */
  void requireFileSize(long bytes) {
    if (BucketAddress.isOne(location) && bytes > BackupBucket.LARGEST_FILE_SIZE) {
      throw new CommandException(
          ExitCode.USAGE,
          "--file-size must be at most %dGB in a bucket"
              .formatted(BackupBucket.LARGEST_FILE_SIZE >> 30));
    }
  }
}
