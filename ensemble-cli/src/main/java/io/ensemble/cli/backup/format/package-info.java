/**
 * The format of a backup: a manifest, and files of records, each file with its digest in the
 * manifest. A store holds the files: a directory, or another implementation of {@link
 * io.ensemble.cli.backup.format.BackupStore}. Knows nothing of caches.
 */
@NullMarked
package io.ensemble.cli.backup.format;

import org.jspecify.annotations.NullMarked;
