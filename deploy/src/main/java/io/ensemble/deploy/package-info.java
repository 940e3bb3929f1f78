/**
 * The command line: one class for each command, which reads its options, asks {@link
 * io.ensemble.deploy.federation} or {@link io.ensemble.deploy.demo} to do the work, and reports it
 * as text or, with {@code --json}, as one JSON document. Nothing here knows a protocol.
 */
@NullMarked
package io.ensemble.deploy;

import org.jspecify.annotations.NullMarked;
