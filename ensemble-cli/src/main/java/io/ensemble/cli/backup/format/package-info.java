/**
 * The format of a backup: a manifest, and files of records, each file with its digest in the
 * manifest. Reads and writes a directory; knows nothing of caches.
 */
@NullMarked
package io.ensemble.cli.backup.format;

import org.jspecify.annotations.NullMarked;
