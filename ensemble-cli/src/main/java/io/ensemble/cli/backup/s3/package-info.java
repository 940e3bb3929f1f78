/**
 * Backups in a bucket of an S3-compatible store. Requests are bounded in size and in time. Two runs
 * on one backup are kept apart by conditional writes of the manifest.
 */
@NullMarked
package io.ensemble.cli.backup.s3;

import org.jspecify.annotations.NullMarked;
