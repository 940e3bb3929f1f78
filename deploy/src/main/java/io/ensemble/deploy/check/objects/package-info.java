/**
 * The atomic objects that a trial works on, as users would write such classes, and what its clients
 * call on them. What a call is in a history stands beside it, so that how it ended can be judged.
 */
@NullMarked
package io.ensemble.deploy.check.objects;

import org.jspecify.annotations.NullMarked;
