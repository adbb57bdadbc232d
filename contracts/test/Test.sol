// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @dev What forge offers to tests, as far as it is used here.
interface Cheats {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function addr(uint256 key) external pure returns (address);
    function assertEq(uint256 left, uint256 right, string calldata message) external pure;
    function assertEq(address left, address right, string calldata message) external pure;
    function assertTrue(bool condition, string calldata message) external pure;
    function assume(bool condition) external pure;
    function deal(address to, uint256 amount) external;
    function expectRevert() external;
    function expectRevert(bytes4 selector) external;
    function getNonce(address account) external view returns (uint64);
    function getRecordedLogs() external returns (Log[] memory);
    function prank(address sender) external;
    function recordLogs() external;
    function snapshotGasLastCall(string calldata group, string calldata name) external returns (uint256);
}

abstract contract Test {
    Cheats internal constant vm = Cheats(address(uint160(uint256(keccak256("hevm cheat code")))));

    function bound(uint256 value, uint256 min, uint256 max) internal pure returns (uint256) {
        return min + value % (max - min + 1);
    }

    /// @dev An address that nobody has deployed to, and whose number in a test says who it is.
    function person(uint256 number) internal pure returns (address) {
        return vm.addr(1_000 + number);
    }

    function listOf(bytes32 one) internal pure returns (bytes32[] memory list) {
        list = new bytes32[](1);
        list[0] = one;
    }

    function listOf() internal pure returns (address[] memory) {
        return new address[](0);
    }

    function listOf(address one) internal pure returns (address[] memory list) {
        list = new address[](1);
        list[0] = one;
    }

    /// @dev In ascending order, as a sweep wants them.
    function listOf(address one, address other) internal pure returns (address[] memory list) {
        list = new address[](2);
        (list[0], list[1]) = one < other ? (one, other) : (other, one);
    }
}
