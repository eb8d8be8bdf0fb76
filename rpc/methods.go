package rpc

import "github.com/nodwyn/nodwyn/rpc/protocol"

// methodTable lists every method that a client can call. To add one: its types and its line in rpc/protocol, a line here, a handler in the file of its noun.
func methodTable() map[string]method {
	return map[string]method{
		protocol.MethodNew:        define(protocol.MethodNew, (*Server).sessionNew),
		protocol.MethodResume:     define(protocol.MethodResume, (*Server).sessionResume),
		protocol.MethodClose:      define(protocol.MethodClose, (*Server).sessionClose),
		protocol.MethodTitle:      define(protocol.MethodTitle, (*Server).sessionTitle),
		protocol.MethodPrompt:     define(protocol.MethodPrompt, (*Server).sessionPrompt),
		protocol.MethodCancel:     define(protocol.MethodCancel, (*Server).sessionCancel),
		protocol.MethodList:       define(protocol.MethodList, (*Server).sessionList),
		protocol.MethodView:       defineAtHand(protocol.MethodView, (*Server).viewAtHand, (*Server).sessionView),
		protocol.MethodEvents:     define(protocol.MethodEvents, (*Server).sessionEvents),
		protocol.MethodTranscript: define(protocol.MethodTranscript, (*Server).sessionTranscript),
		protocol.MethodDiff:       define(protocol.MethodDiff, (*Server).sessionDiff),
		protocol.MethodLand:       define(protocol.MethodLand, (*Server).sessionLand),
		protocol.MethodUnland:     define(protocol.MethodUnland, (*Server).sessionUnland),
		protocol.MethodRevert:     define(protocol.MethodRevert, (*Server).sessionRevert),
		protocol.MethodSync:       define(protocol.MethodSync, (*Server).sessionSync),
		protocol.MethodMode:       define(protocol.MethodMode, (*Server).sessionMode),
		protocol.MethodContinue:   define(protocol.MethodContinue, (*Server).sessionContinue),
		protocol.MethodQueue:      define(protocol.MethodQueue, (*Server).sessionQueue),
		protocol.MethodSteer:      define(protocol.MethodSteer, (*Server).sessionSteer),
		protocol.MethodApprovals:  define(protocol.MethodApprovals, (*Server).sessionApprovals),
		protocol.MethodRevoke:     define(protocol.MethodRevoke, (*Server).sessionRevoke),
		protocol.MethodEgress:     define(protocol.MethodEgress, (*Server).sessionEgress),
		protocol.MethodTrail:      define(protocol.MethodTrail, (*Server).sessionTrail),
		protocol.MethodProof:      define(protocol.MethodProof, (*Server).sessionProof),

		protocol.MethodCredRegister: define(protocol.MethodCredRegister, (*Server).credRegister),
		protocol.MethodCredList:     define(protocol.MethodCredList, (*Server).credList),
		protocol.MethodCredRemove:   define(protocol.MethodCredRemove, (*Server).credRemove),
	}
}
