/**
 * Judges recorded streams of changes beside the operations that made the changes. Pure: no site,
 * thread or clock.
 */
@NullMarked
package io.ensemble.testkit.listen;

import org.jspecify.annotations.NullMarked;
