package mwlab.middleware.reply

import mwlab.middleware.job.Reply

/** The version of this build, from the jar's manifest. */
internal val VERSION: String = Reply::class.java.`package`.implementationVersion ?: "development"
